#!/usr/bin/python3
"""Draws one frame of a run to a PNG with VTK. Needs a display: run it under `xvfb-run -a`.

    render.py DIR OUT.png [--frame K|last] [--color speed|opening|ARRAY] [--range LOW HIGH]
              [--contacts] [--thrust] [--front] [--strip K...]

--strip draws several frames below each other, the first on top, all from the front and from one place. K is the step
in the frame's name. ARRAY is any array of the bodies, such as radius, id, coordination, or of the blocks, such as
displacement; opening colours a block by its interface that gapes most. Interfaces that gape by more than half a
millimetre are marked. Joints between bodies are drawn as lines.
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
OPEN_INTERFACE = 0.5e-3  # m
SIZE, STRIP_SIZE = (1200, 900), (1200, 330)  # of one frame, in pixels
UNITS = {"speed": " [m/s]", "displacement": " [m]", "opening": " [m]", "radius": " [m]"}


def read_frame(folder, kind, step):
    """The frame as polygons, lines or points; None where the run has no such series."""
    if not os.path.exists(os.path.join(folder, kind + ".pvd")):
        return None
    for extension, reader in (("vtp", vtk.vtkXMLPolyDataReader()),
                              ("vtu", vtk.vtkXMLUnstructuredGridReader())):
        path = os.path.join(folder, "vtk", f"{kind}_{step:06d}.{extension}")
        if not os.path.exists(path):
            continue
        reader.SetFileName(path)
        outside = vtk.vtkGeometryFilter()
        outside.SetInputConnection(reader.GetOutputPort())
        outside.Update()
        return outside.GetOutput()
    sys.exit(f"{folder}: no frame of {kind} for step {step}")


def choose_step(folder, frame):
    steps = sorted(int(re.search(r"_(\d+)\.vtp$", path).group(1))
                   for path in glob.glob(os.path.join(folder, "vtk", "walls_*.vtp")))
    if not steps:
        sys.exit(f"{folder}: no frames under vtk/")
    return steps[-1] if frame == "last" else int(frame)


def add_color_array(arrays, color, limits):
    """Puts the array "color" beside the others and returns its range."""
    name = "velocity" if color == "speed" else color
    if not arrays.GetArray(name):
        known = ", ".join(arrays.GetArrayName(k) for k in range(arrays.GetNumberOfArrays()))
        sys.exit(f"--color {color}: there are speed, {known}")
    values = vtk_to_numpy(arrays.GetArray(name)).astype(numpy.float32)
    if values.ndim > 1:
        values = numpy.sqrt((values ** 2).sum(axis=1))
    array = numpy_to_vtk(values, deep=True)
    array.SetName("color")
    arrays.AddArray(array)
    if limits:
        return limits
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    return low, high if high > low else low + 1.0


def add_opening(blocks, interfaces):
    """The array "opening" of the blocks: of the interface of each that gapes most."""
    most = {}
    for side in ("body_a", "body_b"):
        for body, opening in zip(vtk_to_numpy(interfaces.GetPointData().GetArray(side)),
                                 vtk_to_numpy(interfaces.GetPointData().GetArray("opening"))):
            most[body] = max(most.get(body, 0.0), opening)
    ids = vtk_to_numpy(blocks.GetCellData().GetArray("id"))
    array = numpy_to_vtk(numpy.array([most.get(k, 0.0) for k in ids], dtype=numpy.float32), deep=True)
    array.SetName("opening")
    blocks.GetCellData().AddArray(array)


def color_table(low, high):
    table = vtk.vtkColorTransferFunction()
    table.SetColorSpaceToLab()
    anchors = ((0, 0.23, 0.30, 0.75), (0.35, 0.40, 0.75, 0.85), (0.65, 0.95, 0.85, 0.45),
               (1, 0.75, 0.15, 0.15))
    for at, red, green, blue in anchors:
        table.AddRGBPoint(low + at * (high - low), red, green, blue)
    return table


def behind(bodies, y):
    """The bodies whose centres lie behind a plane across the view."""
    centres = vtk_to_numpy(bodies.GetPoints().GetData())
    array = numpy_to_vtk(numpy.ascontiguousarray(centres[:, 1]), deep=True)
    array.SetName("away")
    bodies.GetPointData().AddArray(array)
    kept = vtk.vtkThresholdPoints()
    kept.SetInputData(bodies)
    kept.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_POINTS, "away")
    kept.ThresholdByUpper(y)
    kept.Update()
    return kept.GetOutput()


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


def draw_bodies(renderer, bodies, color, limits, opacity, bar):
    low, high = add_color_array(bodies.GetPointData(), color, limits)
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
    if bar:
        add_bar(renderer, mapper.GetLookupTable(), color + UNITS.get(color, ""), 0.08)


def draw_blocks(renderer, blocks, color, limits, opacity):
    low, high = add_color_array(blocks.GetCellData(), color, limits)
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(blocks)
    mapper.SetScalarModeToUseCellFieldData()
    mapper.SelectColorArray("color")
    mapper.SetLookupTable(color_table(low, high))
    mapper.SetScalarRange(low, high)
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetOpacity(opacity)
    actor.GetProperty().EdgeVisibilityOn()
    actor.GetProperty().SetEdgeColor(0.2, 0.2, 0.2)
    renderer.AddActor(actor)
    add_bar(renderer, mapper.GetLookupTable(), color + UNITS.get(color, ""), 0.08)


def add_plain_actor(renderer, source, color):
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(source.GetOutputPort())
    mapper.ScalarVisibilityOff()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(*color)
    renderer.AddActor(actor)


def draw_open_interfaces(renderer, interfaces, radius):
    """Dots on the interfaces that gape; returns their number."""
    opened = vtk.vtkThresholdPoints()
    opened.SetInputData(interfaces)
    opened.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_POINTS, "opening")
    opened.ThresholdByUpper(OPEN_INTERFACE)
    dot = vtk.vtkSphereSource()
    dot.SetRadius(radius)
    dots = vtk.vtkGlyph3D()
    dots.SetInputConnection(opened.GetOutputPort())
    dots.SetSourceConnection(dot.GetOutputPort())
    dots.SetScaleModeToDataScalingOff()
    add_plain_actor(renderer, dots, (0.85, 0.1, 0.1))
    opened.Update()
    return opened.GetOutput().GetNumberOfPoints()


def draw_lines(renderer, lines, radius):
    tube = vtk.vtkTubeFilter()
    tube.SetInputData(lines)
    tube.SetRadius(radius)
    tube.SetNumberOfSides(8)
    add_plain_actor(renderer, tube, (0.0, 0.0, 0.0))


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


def add_caption(renderer, folder, step, walls, count):
    time = walls.GetFieldData().GetArray("TimeValue").GetValue(0)
    caption = vtk.vtkTextActor()
    caption.SetInput(f"{os.path.basename(os.path.abspath(folder))}   step {step}   t = {time:g} s   "
                     f"{count}")
    caption.GetTextProperty().SetColor(0, 0, 0)
    caption.GetTextProperty().SetFontSize(18)
    caption.SetPosition(15, 12)
    renderer.AddActor2D(caption)


def scene_box(bodies, blocks, joints):
    """The box around what can move, and a margin; None where there is nothing."""
    boxes = [data.GetBounds() for data in (bodies, blocks, joints) if data and data.GetNumberOfPoints()]
    if not boxes:
        return None, 0.0
    box = [(min if k % 2 == 0 else max)(box[k] for box in boxes) for k in range(6)]
    margin = 0.1 * max(box[k + 1] - box[k] for k in (0, 2, 4))
    if bodies and bodies.GetNumberOfPoints():
        margin += bodies.GetPointData().GetArray("radius").GetRange()[1]
    return box, margin


def place_camera(renderer, inner, margin, walls, front):
    """Looks at the scene from the front, a little from the right and from above unless `front`."""
    box = walls.GetBounds()
    if inner:
        if walls.GetNumberOfCells() == 0:
            box = inner
        # Walls may be much larger than what happens between them: they set the view only so far.
        box = [bound for k in (0, 2, 4) for bound in
               (max(min(box[k], inner[k]), inner[k] - margin),
                min(max(box[k + 1], inner[k + 1]), inner[k + 1] + margin))]
    camera = renderer.GetActiveCamera()
    camera.SetFocalPoint(0, 0, 0)
    camera.SetPosition(*((0.0, -1.0, 0.0) if front else (0.45, -1.0, 0.35)))
    camera.SetViewUp(0, 0, 1)
    renderer.ResetCamera(box)
    camera.SetParallelProjection(front)
    camera.Zoom(1.3 if front else 1.15)
    renderer.ResetCameraClippingRange()


def fill_strip(renderer, box):
    """Lets what can move fill a frame of a strip, but for the legend on its right and the caption below."""
    width, height = box[1] - box[0], box[5] - box[4]
    scale = max(width / (0.86 * STRIP_SIZE[0]), height / (0.76 * STRIP_SIZE[1]))
    camera = renderer.GetActiveCamera()
    camera.SetParallelScale(0.5 * scale * STRIP_SIZE[1])
    right, down = 0.06 * STRIP_SIZE[0] * scale, 0.06 * STRIP_SIZE[1] * scale
    for move, place in ((camera.SetFocalPoint, camera.GetFocalPoint()), (camera.SetPosition, camera.GetPosition())):
        move(place[0] + right, place[1], place[2] - down)
    renderer.ResetCameraClippingRange()


def add_overlay(renderer):
    """A layer above the scene: marks inside of blocks would not be seen."""
    overlay = vtk.vtkRenderer()
    overlay.SetLayer(1)
    overlay.SetActiveCamera(renderer.GetActiveCamera())
    return overlay


def photograph(renderer, overlay, size):
    """The image of a frame, and its window, which has to outlive it."""
    window = vtk.vtkRenderWindow()
    window.SetNumberOfLayers(2)
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(4)
    window.SetSize(*size)
    window.AddRenderer(renderer)
    window.AddRenderer(overlay)
    window.Render()
    image = vtk.vtkWindowToImageFilter()
    image.SetInput(window)
    image.ReadFrontBufferOff()
    image.Update()
    return image, window


def save_picture(images, path):
    """Writes the images below each other, the first on top."""
    column = vtk.vtkImageAppend()
    column.SetAppendAxis(1)
    for image in reversed(images):
        column.AddInputConnection(image.GetOutputPort())
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(path)
    writer.SetInputConnection(column.GetOutputPort())
    writer.Write()


def show_masonry(renderer, overlay, options, step, blocks, margin):
    """Draws blocks and interfaces; returns how many there are of them."""
    interfaces = read_frame(options.folder, "interfaces", step)
    add_opening(blocks, interfaces)
    draw_blocks(renderer, blocks, options.color or "displacement", options.range,
                0.3 if options.contacts else 1.0)
    opened = draw_open_interfaces(overlay, interfaces, (0.025 if options.strip else 0.06) * margin)
    if options.thrust:
        draw_lines(overlay, read_frame(options.folder, "thrust", step), 0.03 * margin)
    ids = vtk_to_numpy(blocks.GetCellData().GetArray("id"))
    return f"{len(numpy.unique(ids))} blocks, {opened} interfaces open by more than {OPEN_INTERFACE:g} m"


def draw_frame(options, step, camera):
    """The scene and its overlay, seen from a camera, or from where all of it is seen."""
    bodies, blocks, walls, joints = (read_frame(options.folder, kind, step)
                                     for kind in ("bodies", "blocks", "walls", "joints"))
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    if camera:
        renderer.SetActiveCamera(camera)
    overlay = add_overlay(renderer)
    draw_walls(renderer, walls)
    inner, margin = scene_box(bodies, blocks, joints)
    if joints and joints.GetNumberOfCells():
        draw_lines(renderer, joints, 0.03 * margin)
    count = []
    if bodies and options.cut is not None:
        bodies = behind(bodies, options.cut)
    if bodies:
        color = options.color if options.color and not blocks else "speed"
        draw_bodies(renderer, bodies, color, None if blocks else options.range,
                    0.15 if options.contacts else 1.0, not blocks)
        ids = vtk_to_numpy(bodies.GetPointData().GetArray("id"))
        count.append(f"{len(numpy.unique(ids))} bodies")
    if blocks:
        count.append(show_masonry(renderer, overlay, options, step, blocks, margin))
    if options.contacts:
        largest = bodies.GetPointData().GetArray("radius").GetRange()[1] if bodies else 0.2 * margin
        draw_contacts(renderer, read_frame(options.folder, "contacts", step), largest)
    add_caption(renderer, options.folder, step, walls, ", ".join(count))
    if not camera:
        place_camera(renderer, inner, margin, walls, options.front)
        if options.strip:
            fill_strip(renderer, inner)
    return renderer, overlay


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("picture", metavar="OUT.png")
    parser.add_argument("--frame", default="last", help="step number, or last")
    parser.add_argument("--strip", nargs="+", type=int, metavar="K", help="step numbers of frames below each other")
    parser.add_argument("--color", help="speed (default of spheres), displacement (of blocks), "
                                        "opening, or an array")
    parser.add_argument("--contacts", action="store_true", help="force chains in faint bodies")
    parser.add_argument("--range", nargs=2, type=float, metavar=("LOW", "HIGH"), help="of the colours")
    parser.add_argument("--thrust", action="store_true", help="thrust line")
    parser.add_argument("--cut", type=float, metavar="Y", help="leave out spheres in front of this y")
    parser.add_argument("--front", action="store_true", help="look along y")
    options = parser.parse_args()
    options.front |= bool(options.strip)

    steps = options.strip or [choose_step(options.folder, options.frame)]
    size, camera, images = STRIP_SIZE if options.strip else SIZE, None, []
    for step in steps:
        renderer, overlay = draw_frame(options, step, camera)
        camera = renderer.GetActiveCamera()
        images.append(photograph(renderer, overlay, size))
    save_picture([image for image, _ in images], options.picture)


if __name__ == "__main__":
    main()
