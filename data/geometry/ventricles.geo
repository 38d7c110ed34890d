// Two idealised ventricles, cut off at the base: shells between halves of ellipsoids whose axes are those of a human
// heart (193.5 mL of muscle with s = 1.10). The base is the plane z = 0, the apex points to -z, the left ventricle
// stands on the z axis and the right one is a crescent on its +x side. Lengths in mm.
//
//   gmsh data/geometry/ventricles.geo -3 -algo hxt -setnumber h 2.035 -o ventricles.msh
//
// h is the edge asked for: 4.87 gives 10 thousand cells, 2.035 gives 100 thousand, 0.633 gives 3 million.
// Surfaces: 1 base, 2 epicardium, 3 left endocardium, 4 right endocardium. Volume: 1.
SetFactory("OpenCASCADE");
DefineConstant[ h = {4.0, Name "Edge (mm)"}, s = {1.10, Name "Scale"} ];

// Half axes of the cavities, and what the walls add.
left_xy = 24;  left_z = 72;  left_wall = 10;
right_x = 36;  right_y = 32; right_z = 66; right_wall = 4;
right_at = 28; // x of the right ventricle's axis

Sphere(1) = {0, 0, 0, 1, -Pi/2, 0, 2*Pi};
Dilate{{0, 0, 0}, {s*(left_xy + left_wall), s*(left_xy + left_wall), s*(left_z + left_wall)}}{ Volume{1}; }
Sphere(2) = {0, 0, 0, 1, -Pi/2, 0, 2*Pi};
Dilate{{0, 0, 0}, {s*left_xy, s*left_xy, s*left_z}}{ Volume{2}; }
Sphere(3) = {0, 0, 0, 1, -Pi/2, 0, 2*Pi};
Dilate{{0, 0, 0}, {s*(right_x + right_wall), s*(right_y + right_wall), s*(right_z + right_wall)}}{ Volume{3}; }
Translate{s*right_at, 0, 0}{ Volume{3}; }
Sphere(4) = {0, 0, 0, 1, -Pi/2, 0, 2*Pi};
Dilate{{0, 0, 0}, {s*right_x, s*right_y, s*right_z}}{ Volume{4}; }
Translate{s*right_at, 0, 0}{ Volume{4}; }

right_cavity() = BooleanDifference{ Volume{4}; Delete; }{ Volume{1}; };
outside() = BooleanUnion{ Volume{1}; Delete; }{ Volume{3}; Delete; };
muscle() = BooleanDifference{ Volume{outside()}; Delete; }{ Volume{2}; Volume{right_cavity()}; Delete; };

// Which face is what. The box that OpenCASCADE gives for a cut face is that of the whole ellipsoid it was cut from, so
// its lowest z says which ellipsoid; the left ventricle's outside is the septum's right face where it lies at +x.
faces() = Abs(Boundary{ Volume{muscle()}; });
base() = {}; epicardium() = {}; left() = {}; right() = {};
For i In {0 : #faces() - 1}
  box() = BoundingBox Surface{ faces(i) };
  middle() = CenterOfMass Surface{ faces(i) };
  If (box(5) - box(2) < 1e-3*s)
    base() += faces(i);
  ElseIf (Fabs(box(2) + s*left_z) < 0.1*s)
    left() += faces(i);
  ElseIf (Fabs(box(2) + s*right_z) < 0.1*s)
    right() += faces(i);
  ElseIf (Fabs(box(2) + s*(left_z + left_wall)) < 0.1*s && middle(0) > 0)
    right() += faces(i);
  Else
    epicardium() += faces(i);
  EndIf
EndFor
Physical Surface("base", 1) = {base()};
Physical Surface("epicardium", 2) = {epicardium()};
Physical Surface("lv_endocardium", 3) = {left()};
Physical Surface("rv_endocardium", 4) = {right()};
Physical Volume("myocardium", 1) = {muscle()};

Mesh.CharacteristicLengthFromPoints = 0;
Mesh.CharacteristicLengthFromCurvature = 0;
Mesh.CharacteristicLengthExtendFromBoundary = 0;
Mesh.CharacteristicLengthMin = h;
Mesh.CharacteristicLengthMax = h;
