// Tetrahedra in a body given by its closed surface of triangles, which comes first on the command line:
//
//   gmsh surface.msh data/geometry/fill.geo -3 -algo hxt -setnumber h 2 -setnumber angle 40 -o body.msh
//
// h is the edge asked for. Where angle (degrees) is above 0 the surface is cut where it turns by more than that, its
// parts are given parameters and meshed anew; where it is 0 the triangles stay as they are.
DefineConstant[ h = {2, Name "Edge"}, angle = {40, Name "Angle (degrees)"} ];

If (angle > 0)
  ClassifySurfaces{angle * Pi / 180, 1, 1, Pi};
  CreateGeometry;
EndIf
Surface Loop(1) = Surface{:};
Volume(1) = {1};
Physical Volume("myocardium", 1) = {1};

Mesh.CharacteristicLengthFromPoints = 0;
Mesh.CharacteristicLengthFromCurvature = 0;
Mesh.CharacteristicLengthExtendFromBoundary = 0;
Mesh.CharacteristicLengthMin = h;
Mesh.CharacteristicLengthMax = h;
