//! Drawings as PNG, for documents that take no SVG.
//!
//! Shapes are drawn by tiny-skia, which is what resvg draws with; ours need no reader of SVG and no layout of text.

use std::sync::LazyLock;

use plysmith_core::printable::printable;
use plysmith_runs::chart::scene::{Anchor, Form, Ink, LETTER_SIZE, Scene, Shape};
use tiny_skia::{Color, FillRule, IntSize, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform};

use super::font::Font;

/// Pixels for each unit of a drawing: sharp on paper and on good screens.
const SCALE: f32 = 2.0;
/// No picture is wider or higher.
const MOST: f32 = 16_000.0;

static REGULAR: LazyLock<Option<Font>> = LazyLock::new(|| Font::new(dejavu::sans::regular()));
static BOLD: LazyLock<Option<Font>> = LazyLock::new(|| Font::new(dejavu::sans::bold()));

/// A drawing as PNG on white; none if it has no size.
pub fn of_scene(scene: &Scene) -> Option<Vec<u8>> {
    let largest = scene.width.max(scene.height) as f32 * SCALE;
    let scale = if largest > MOST { SCALE * MOST / largest } else { SCALE };
    let pixels = |units: f64| (units as f32 * scale).ceil() as u32;
    let mut canvas = Pixmap::new(pixels(scene.width), pixels(scene.height))?;
    canvas.fill(colour(Ink::Back, 1.0));
    let painter = Painter { scale: Transform::from_scale(scale, scale) };
    for shape in &scene.shapes {
        painter.paint(&mut canvas, shape);
    }
    canvas.encode_png().ok()
}

/// Pixels as PNG: red, green, blue and opacity of each, row by row. Pixels are opaque or transparent.
pub fn of_pixels(width: u32, height: u32, pixels: &[u8]) -> Option<Vec<u8>> {
    Pixmap::from_vec(pixels.to_vec(), IntSize::from_wh(width, height)?)?.encode_png().ok()
}

struct Painter {
    scale: Transform,
}

impl Painter {
    fn paint(&self, canvas: &mut Pixmap, shape: &Shape) {
        if let Form::Text { at, anchor, words, is_bold, is_upright } = &shape.form {
            return self.text(canvas, shape, *at, *anchor, words, [*is_bold, *is_upright]);
        }
        let Some(path) = outline(&shape.form) else { return };
        if let Some(fill) = shape.fill {
            let paint = paint_of(fill, shape.opacity.unwrap_or(1.0));
            canvas.fill_path(&path, &paint, FillRule::Winding, self.scale, None);
        }
        if let Some((ink, width)) = shape.stroke {
            let dash = if shape.is_dotted { StrokeDash::new(vec![2.0, 4.0], 0.0) } else { None };
            let stroke = Stroke { width: width as f32, dash, ..Stroke::default() };
            canvas.stroke_path(&path, &paint_of(ink, 1.0), &stroke, self.scale, None);
        }
    }

    fn text(
        &self,
        canvas: &mut Pixmap,
        shape: &Shape,
        [x, y]: [f64; 2],
        anchor: Anchor,
        words: &str,
        [is_bold, is_upright]: [bool; 2],
    ) {
        let Some(font) = (if is_bold { BOLD.as_ref() } else { REGULAR.as_ref() }) else { return };
        let words = printable(words);
        let width = font.width(&words, LETTER_SIZE as f32);
        let start = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        let mut path = PathBuilder::new();
        font.write(&mut path, &words, start, LETTER_SIZE as f32);
        let Some(path) = path.finish() else { return };
        let turned = if is_upright { Transform::from_rotate(-90.0) } else { Transform::identity() };
        let place = turned.post_translate(x as f32, y as f32).post_concat(self.scale);
        canvas.fill_path(&path, &paint_of(shape.fill.unwrap_or(Ink::Text), 1.0), FillRule::Winding, place, None);
    }
}

fn outline(form: &Form) -> Option<Path> {
    match form {
        Form::Rect { at: [x, y], size: [width, height] } => {
            Some(PathBuilder::from_rect(Rect::from_xywh(*x as f32, *y as f32, *width as f32, *height as f32)?))
        }
        Form::Circle { at: [x, y], radius } => PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32),
        Form::Path(points) => {
            let mut path = PathBuilder::new();
            for (number, [x, y]) in points.iter().enumerate() {
                match number {
                    0 => path.move_to(*x as f32, *y as f32),
                    _ => path.line_to(*x as f32, *y as f32),
                }
            }
            path.finish()
        }
        Form::Text { .. } => None,
    }
}

fn paint_of(ink: Ink, opacity: f64) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(colour(ink, opacity));
    paint
}

/// An ink as its colour in files, which is written as `#rrggbb`.
fn colour(ink: Ink, opacity: f64) -> Color {
    let digits = ink.colour().trim_start_matches('#');
    let part = |at: usize| digits.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok()).unwrap_or(0);
    let [red, green, blue] = [0, 2, 4].map(part);
    Color::from_rgba8(red, green, blue, (opacity.clamp(0.0, 1.0) * 255.0).round() as u8)
}

#[cfg(test)]
mod tests {
    use plysmith_runs::chart::scene::{Anchor, Ink, Scene, Shape};
    use tiny_skia::Pixmap;

    use super::{of_pixels, of_scene};

    #[test]
    fn shapes_and_text_are_where_the_drawing_says() {
        let mut scene = Scene::new("t", 100.0, 50.0);
        scene.add(Shape::rect([10.0, 10.0], [20.0, 20.0]).fill(Ink::Series(0)));
        scene.text([60.0, 30.0], Anchor::Start, "Höhe");
        let picture = Pixmap::decode_png(&of_scene(&scene).unwrap()).unwrap();
        assert_eq!((picture.width(), picture.height()), (200, 100));
        let pixel = |x: u32, y: u32| {
            let pixel = picture.pixel(x, y).unwrap();
            [pixel.red(), pixel.green(), pixel.blue()]
        };
        assert_eq!((pixel(40, 40), pixel(10, 10)), ([0x00, 0x72, 0xb2], [255; 3]));
        let dark = |from: u32, to: u32| {
            (from..to).flat_map(|x| (30..64).map(move |y| (x, y))).filter(|(x, y)| pixel(*x, *y)[0] < 128).count()
        };
        assert!(dark(120, 190) > 50, "four letters");
        assert_eq!(dark(64, 118), 0);
    }

    #[test]
    fn what_has_no_size_has_no_picture() {
        assert_eq!(of_scene(&Scene::new("t", 0.0, 50.0)), None);
        assert_eq!((of_pixels(0, 3, &[]), of_pixels(2, 1, &[1, 2, 3])), (None, None));
        let huge = of_scene(&Scene::new("t", 90_000.0, 10.0)).unwrap();
        assert!(Pixmap::decode_png(&huge).unwrap().width() <= 16_000);
    }
}
