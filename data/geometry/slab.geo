// A rectangular slab with one corner in the origin. Lengths in mm.
//
//   gmsh data/geometry/slab.geo -3 -algo hxt -setnumber h 0.5 -setnumber size_x 20 -setnumber size_y 7 -setnumber size_z 3 -o slab.msh
//
// h is the edge asked for.
SetFactory("OpenCASCADE");
DefineConstant[ h = {1, Name "Edge (mm)"}, size_x = {1, Name "Size along x (mm)"},
                size_y = {1, Name "Size along y (mm)"}, size_z = {1, Name "Size along z (mm)"} ];

Box(1) = {0, 0, 0, size_x, size_y, size_z};
Physical Volume("myocardium", 1) = {1};

Mesh.CharacteristicLengthFromPoints = 0;
Mesh.CharacteristicLengthFromCurvature = 0;
Mesh.CharacteristicLengthExtendFromBoundary = 0;
Mesh.CharacteristicLengthMin = h;
Mesh.CharacteristicLengthMax = h;
