#!/usr/bin/python3
"""Draws one frame of a run to a PNG with VTK. Needs a display: run it under `xvfb-run -a`.

    render.py DIR OUT.png [--frame K|last] [--color speed|ARRAY] [--contacts]

K is the step in the frame's name. ARRAY is any array of the bodies, such as radius, id, coordination.
"""
import argparse
import glob
import os
import re
import sys

import numpy
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

GLYPHS_MAX = 100000  # beyond this, spheres are drawn as shaded points


def read_frame(folder, kind, step):
    reader = vtk.vtkXMLPolyDataReader()
    path = os.path.join(folder, "vtk", f"{kind}_{step:06d}.vtp")
    if not os.path.exists(path):
        sys.exit(f"{path}: no such frame")
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def choose_step(folder, frame):
    steps = sorted(int(re.search(r"_(\d+)\.vtp$", path).group(1))
                   for path in glob.glob(os.path.join(folder, "vtk", "bodies_*.vtp")))
    if not steps:
        sys.exit(f"{folder}: no frames under vtk/")
    return steps[-1] if frame == "last" else int(frame)


def add_color_array(bodies, color):
    """Puts the array "color" on the points and returns its range."""
    arrays = bodies.GetPointData()
    name = "velocity" if color == "speed" else color
    if not arrays.GetArray(name):
        known = ", ".join(arrays.GetArrayName(k) for k in range(arrays.GetNumberOfArrays()))
        sys.exit(f"--color {color}: the bodies have speed, {known}")
    values = vtk_to_numpy(arrays.GetArray(name)).astype(numpy.float32)
    if values.ndim > 1:
        values = numpy.sqrt((values ** 2).sum(axis=1))
    array = numpy_to_vtk(values, deep=True)
    array.SetName("color")
    arrays.AddArray(array)
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    return low, high if high > low else low + 1.0


def color_table(low, high):
    table = vtk.vtkColorTransferFunction()
    table.SetColorSpaceToLab()
    anchors = ((0, 0.23, 0.30, 0.75), (0.35, 0.40, 0.75, 0.85), (0.65, 0.95, 0.85, 0.45),
               (1, 0.75, 0.15, 0.15))
    for at, red, green, blue in anchors:
        table.AddRGBPoint(low + at * (high - low), red, green, blue)
    return table


def glyph_mapper(bodies):
    sphere = vtk.vtkSphereSource()
    sides = 24 if bodies.GetNumberOfPoints() < 10000 else 12
    sphere.SetRadius(1.0)
    sphere.SetThetaResolution(sides)
    sphere.SetPhiResolution(sides)
    mapper = vtk.vtkGlyph3DMapper()
    mapper.SetInputData(bodies)
    mapper.SetSourceConnection(sphere.GetOutputPort())
    mapper.SetScaleArray("radius")
    mapper.SetScaleModeToScaleByMagnitude()
    return mapper


def point_mapper(bodies):
    mapper = vtk.vtkPointGaussianMapper()
    mapper.SetInputData(bodies)
    mapper.SetScaleArray("radius")
    mapper.SetScaleFactor(1.0)
    mapper.EmissiveOff()
    # Shades the disc as a sphere lit from the camera; offsets are in units of the radius.
    mapper.SetTriangleScale(1.0)
    mapper.SetSplatShaderCode(
        "//VTK::Color::Impl\n"
        "float away2 = dot(offsetVCVSOutput.xy, offsetVCVSOutput.xy);\n"
        "if (away2 > 1.0) { discard; }\n"
        "float facing = sqrt(1.0 - away2);\n"
        "ambientColor *= facing;\n"
        "diffuseColor *= facing;\n")
    return mapper


def draw_bodies(renderer, bodies, color, opacity):
    low, high = add_color_array(bodies, color)
    mapper = (glyph_mapper if bodies.GetNumberOfPoints() <= GLYPHS_MAX else point_mapper)(bodies)
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray("color")
    mapper.SetLookupTable(color_table(low, high))
    mapper.SetScalarRange(low, high)
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetOpacity(opacity)
    actor.GetProperty().SetSpecular(0.1)
    renderer.AddActor(actor)
    add_bar(renderer, mapper.GetLookupTable(), color + (" [m/s]" if color == "speed" else ""), 0.08)


def draw_walls(renderer, walls):
    if walls.GetNumberOfCells() == 0:
        return
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(walls)
    mapper.ScalarVisibilityOff()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetRepresentationToWireframe()
    actor.GetProperty().SetColor(0.25, 0.25, 0.25)
    actor.GetProperty().SetLighting(False)
    actor.GetProperty().SetLineWidth(1.5)
    renderer.AddActor(actor)


def draw_contacts(renderer, contacts, largest_radius):
    array = contacts.GetPointData().GetArray("normal_force")
    largest = array.GetRange()[1] if array and contacts.GetNumberOfCells() else 0
    if largest <= 0:
        return
    scaled = numpy_to_vtk(vtk_to_numpy(array) * (0.3 * largest_radius / largest), deep=True)
    scaled.SetName("thickness")
    contacts.GetPointData().AddArray(scaled)
    contacts.GetPointData().SetActiveScalars("thickness")
    contacts.GetCellData().SetActiveScalars(None)
    bearing = vtk.vtkThreshold()
    bearing.SetInputData(contacts)
    bearing.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_CELLS,
                                   "normal_force")
    bearing.SetThresholdFunction(vtk.vtkThreshold.THRESHOLD_UPPER)
    bearing.SetUpperThreshold(1e-6 * largest)
    surface = vtk.vtkGeometryFilter()
    surface.SetInputConnection(bearing.GetOutputPort())
    tube = vtk.vtkTubeFilter()
    tube.SetInputConnection(surface.GetOutputPort())
    tube.SetVaryRadiusToVaryRadiusByAbsoluteScalar()
    tube.SetNumberOfSides(8)
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(tube.GetOutputPort())
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray("normal_force")
    mapper.SetLookupTable(color_table(0, largest))
    mapper.SetScalarRange(0, largest)
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    renderer.AddActor(actor)
    add_bar(renderer, mapper.GetLookupTable(), "force [N]", 0.54)


def add_bar(renderer, table, title, bottom):
    bar = vtk.vtkScalarBarActor()
    bar.SetLookupTable(table)
    bar.SetTitle(title)
    bar.SetNumberOfLabels(4)
    bar.SetPosition(0.90, bottom)
    bar.SetWidth(0.08)
    bar.SetHeight(0.38)
    bar.UnconstrainedFontSizeOn()
    bar.SetVerticalTitleSeparation(12)
    for text in (bar.GetTitleTextProperty(), bar.GetLabelTextProperty()):
        text.SetColor(0, 0, 0)
        text.SetFontSize(16)
        text.ItalicOff()
        text.ShadowOff()
    renderer.AddActor2D(bar)


def add_caption(renderer, folder, step, bodies):
    time = bodies.GetFieldData().GetArray("TimeValue").GetValue(0)
    caption = vtk.vtkTextActor()
    caption.SetInput(f"{os.path.basename(os.path.abspath(folder))}   step {step}   t = {time:g} s   "
                     f"{bodies.GetNumberOfPoints()} bodies")
    caption.GetTextProperty().SetColor(0, 0, 0)
    caption.GetTextProperty().SetFontSize(18)
    caption.SetPosition(15, 12)
    renderer.AddActor2D(caption)


def place_camera(renderer, bodies, walls):
    """Looks at the scene from the front, a little from the right and from above."""
    box = walls.GetBounds()
    if bodies.GetNumberOfPoints():
        inner = bodies.GetBounds()
        if walls.GetNumberOfCells() == 0:
            box = inner
        margin = bodies.GetPointData().GetArray("radius").GetRange()[1] + \
            0.1 * max(inner[k + 1] - inner[k] for k in (0, 2, 4))
        # Walls may be much larger than what happens between them: they set the view only so far.
        box = [bound for k in (0, 2, 4) for bound in
               (max(min(box[k], inner[k]), inner[k] - margin),
                min(max(box[k + 1], inner[k + 1]), inner[k + 1] + margin))]
    camera = renderer.GetActiveCamera()
    camera.SetFocalPoint(0, 0, 0)
    camera.SetPosition(0.45, -1.0, 0.35)
    camera.SetViewUp(0, 0, 1)
    renderer.ResetCamera(box)
    camera.Zoom(1.15)
    renderer.ResetCameraClippingRange()


def save_picture(renderer, path):
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(4)
    window.SetSize(1200, 900)
    window.AddRenderer(renderer)
    window.Render()
    image = vtk.vtkWindowToImageFilter()
    image.SetInput(window)
    image.ReadFrontBufferOff()
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(path)
    writer.SetInputConnection(image.GetOutputPort())
    writer.Write()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("picture", metavar="OUT.png")
    parser.add_argument("--frame", default="last", help="step number, or last")
    parser.add_argument("--color", default="speed", help="speed, or an array of the bodies")
    parser.add_argument("--contacts", action="store_true", help="force chains in faint bodies")
    options = parser.parse_args()

    step = choose_step(options.folder, options.frame)
    bodies = read_frame(options.folder, "bodies", step)
    walls = read_frame(options.folder, "walls", step)
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    draw_walls(renderer, walls)
    draw_bodies(renderer, bodies, options.color, 0.15 if options.contacts else 1.0)
    if options.contacts:
        draw_contacts(renderer, read_frame(options.folder, "contacts", step),
                      bodies.GetPointData().GetArray("radius").GetRange()[1])
    add_caption(renderer, options.folder, step, bodies)
    place_camera(renderer, bodies, walls)
    save_picture(renderer, options.picture)


if __name__ == "__main__":
    main()
