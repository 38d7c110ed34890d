// A slab with a corner at 0. Lengths in mm.
//
//   gmsh data/geometry/slab.geo -3 -setnumber x 20 -setnumber y 7 -setnumber z 3 -setnumber h 0.71 -o slab.msh
//
// h is the edge asked for.
SetFactory("OpenCASCADE");
DefineConstant[ x = {20, Name "Length (mm)"}, y = {7, Name "Width (mm)"}, z = {3, Name "Thickness (mm)"},
                h = {0.71, Name "Edge (mm)"} ];
Box(1) = {0, 0, 0, x, y, z};
Physical Volume("myocardium", 1) = {1};

Mesh.CharacteristicLengthMin = h;
Mesh.CharacteristicLengthMax = h;
