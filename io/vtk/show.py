"""Shows a Gabion run in ParaView: spheres by speed, walls translucent, force chains as tubes;
blocks by displacement, interfaces that have opened as red dots, the thrust line as a tube.

    pvpython show.py DIR [PICTURE.png]

or Tools > Python Shell > Run Script, with ParaView started in the run folder. Without a display:
xvfb-run -a pvbatch show.py DIR PICTURE.png
"""
import os
import sys

from paraview.simple import *

BLACK, WHITE = [0, 0, 0], [1, 1, 1]
PICTURE_SIZE = [1200, 800]
OPEN_INTERFACE = 0.5e-3  # m: interfaces that gape more are marked


def open_series(run, kind):
    path = os.path.join(run, kind + '.pvd')
    return OpenDataFile(path) if os.path.exists(path) else None


def last_time(source):
    times = source.TimestepValues  # a bare number when there is a single frame
    return times[-1] if hasattr(times, '__len__') else times


def prepare_view(time):
    view = GetActiveViewOrCreate('RenderView')
    view.ViewSize = PICTURE_SIZE
    view.UseColorPaletteForBackground = 0
    view.Background = WHITE
    view.OrientationAxesLabelColor = BLACK
    scene = GetAnimationScene()
    scene.UpdateAnimationUsingDataTimeSteps()
    scene.AnimationTime = time
    view.ViewTime = time
    return view


def color_by(view, display, array, title, bottom):
    ColorBy(display, array)
    display.RescaleTransferFunctionToDataRange(True, False)
    # Left alone, colour bars overlap and write white on white.
    bar = GetScalarBar(display.LookupTable, view)
    bar.Title = title
    bar.ComponentTitle = ''
    bar.TitleColor = bar.LabelColor = BLACK
    bar.WindowLocation = 'Any Location'
    bar.Position = [0.90, bottom]
    bar.ScalarBarLength = 0.33
    bar.Visibility = 1


def show_bodies(view, bodies, opacity):
    # Points drawn as spheres by the graphics card: glyphs take a hundred times longer.
    display = Show(bodies, view)
    display.SetRepresentationType('Point Gaussian')
    display.ShaderPreset = 'Sphere'
    display.GaussianRadius = 1.0
    display.ScaleByArray = 1
    display.SetScaleArray = ['POINTS', 'radius']
    display.UseScaleFunction = 0
    display.Opacity = opacity
    color_by(view, display, ('POINTS', 'velocity', 'Magnitude'), 'speed [m/s]', 0.02)


def show_walls(view, walls):
    display = Show(walls, view)
    display.SetRepresentationType('Surface With Edges')
    display.ColorArrayName = ['POINTS', '']  # none: ColorBy(display, None) fails in ParaView 5.11
    display.AmbientColor = display.DiffuseColor = [0.6, 0.6, 0.65]
    display.EdgeColor = [0.3, 0.3, 0.3]
    display.Opacity = 0.15


def size_of(source):
    """Largest side of the box around a source."""
    bounds = source.GetDataInformation().GetBounds()
    return max(bounds[k + 1] - bounds[k] for k in (0, 2, 4))


def show_blocks(view, blocks, opacity, bar):
    display = Show(blocks, view)
    display.SetRepresentationType('Surface With Edges')
    display.EdgeColor = [0.3, 0.3, 0.3]
    display.Opacity = opacity
    color_by(view, display, ('CELLS', 'displacement', 'Magnitude'), 'displacement [m]', bar)


def plain(display, color):
    display.ColorArrayName = ['POINTS', '']
    display.AmbientColor = display.DiffuseColor = color


def show_interfaces(view, interfaces, radius, time):
    interfaces.UpdatePipeline(time)
    opening = interfaces.PointData['opening']
    if not opening or opening.GetRange()[1] <= OPEN_INTERFACE:
        return
    opened = Threshold(Input=interfaces, Scalars=['POINTS', 'opening'],
                       ThresholdMethod='Above Upper Threshold', UpperThreshold=OPEN_INTERFACE)
    dots = Glyph(Input=opened, GlyphType='Sphere', ScaleFactor=2 * radius, GlyphMode='All Points',
                 ScaleArray=['POINTS', 'No scale array'])
    plain(Show(dots, view), [0.85, 0.1, 0.1])


def show_thrust(view, thrust, radius, time):
    thrust.UpdatePipeline(time)
    if thrust.GetDataInformation().GetNumberOfCells() == 0:
        return
    plain(Show(Tube(Input=thrust, Radius=radius, NumberofSides=8), view), BLACK)


def show_contacts(view, contacts, bodies, time):
    contacts.UpdatePipeline(time)
    force = contacts.PointData['normal_force']
    largest = force.GetRange()[1] if force else 0
    if largest <= 0:
        return
    # Tubes take the array as a radius in metres: the largest force is a third of a grain thick.
    thickest = 0.35 * bodies.PointData['radius'].GetRange()[1]
    radius = Calculator(Input=contacts, AttributeType='Point Data', ResultArrayName='tube_radius',
                        Function='normal_force*%.17g' % (thickest / largest))
    tube = Tube(Input=radius, Scalars=['POINTS', 'tube_radius'], VaryRadius='By Absolute Scalar',
                NumberofSides=8)
    color_by(view, Show(tube, view), ('POINTS', 'normal_force'), 'normal force [N]', 0.47)


def place_camera(view):
    view.ResetCamera()
    camera = view.GetActiveCamera()
    focus, distance = camera.GetFocalPoint(), camera.GetDistance()
    view.CameraFocalPoint = list(focus)
    view.CameraPosition = [focus[0] + 0.55 * distance, focus[1] - 0.75 * distance,
                           focus[2] + 0.4 * distance]
    view.CameraViewUp = [0, 0, 1]


def show_grains(view, run, bodies, time, alone):
    contacts = open_series(run, 'contacts') if alone else None
    bodies.UpdatePipeline(time)
    show_bodies(view, bodies, 0.25 if contacts else 1.0)
    if contacts:
        show_contacts(view, contacts, bodies, time)


def show_masonry(view, run, blocks, time, alone):
    interfaces, thrust = (open_series(run, kind) for kind in ('interfaces', 'thrust'))
    blocks.UpdatePipeline(time)
    radius = 0.004 * size_of(blocks)
    show_blocks(view, blocks, 0.6 if thrust else 1.0, 0.02 if alone else 0.47)
    if interfaces:
        show_interfaces(view, interfaces, 1.5 * radius, time)
    if thrust:
        show_thrust(view, thrust, radius, time)


def main():
    run = sys.argv[1] if len(sys.argv) > 1 else '.'
    bodies, blocks, walls = (open_series(run, kind) for kind in ('bodies', 'blocks', 'walls'))
    if not bodies and not blocks:
        sys.exit('%s: neither bodies.pvd nor blocks.pvd here; give the output folder of a run' % run)
    time = last_time(bodies or blocks)
    view = prepare_view(time)
    if bodies:
        show_grains(view, run, bodies, time, not blocks)
    if blocks:
        show_masonry(view, run, blocks, time, not bodies)
    if walls:
        show_walls(view, walls)
    place_camera(view)
    Render(view)
    if len(sys.argv) > 2:
        SaveScreenshot(sys.argv[2], view, ImageResolution=PICTURE_SIZE)


main()
