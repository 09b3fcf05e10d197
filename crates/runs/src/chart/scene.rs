//! What a chart consists of: shapes with inks, written as SVG for pages or for files.
//!
//! A page chooses the colours of inks by its style sheet, light or dark. A file has colours of its own, on white.

use std::fmt::Write;

use plysmith_core::printable::{printable, printable_lines};

/// A drawing.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// What it shows, for those who cannot see it.
    pub title: String,
    /// The shapes, from the back to the front.
    pub shapes: Vec<Shape>,
}

/// A part of a drawing.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// Where it is.
    pub form: Form,
    /// What it is filled with.
    pub fill: Option<Ink>,
    /// What it is outlined with, and how wide.
    pub stroke: Option<(Ink, f64)>,
    /// Whether the outline is dotted.
    pub is_dotted: bool,
    /// How much of the fill covers what is behind it, from 0 to 1; all if it does not say.
    pub opacity: Option<f64>,
    /// What is shown when somebody points at it.
    pub note: Option<String>,
    /// Where a click leads: a place on the same page.
    pub link: Option<String>,
    /// Attributes for scripts: names and values.
    pub data: Vec<(&'static str, String)>,
}

/// Where a shape is.
#[derive(Clone, PartialEq, Debug)]
pub enum Form {
    /// A rectangle: its corner at the top left, and its size.
    Rect {
        /// The corner.
        at: [f64; 2],
        /// Width and height.
        size: [f64; 2],
    },
    /// Connected points.
    Path(Vec<[f64; 2]>),
    /// A disc.
    Circle {
        /// The centre.
        at: [f64; 2],
        /// The radius.
        radius: f64,
    },
    /// A line of text.
    Text {
        /// The point on the base line that the anchor is at.
        at: [f64; 2],
        /// Which part of the text is at the point.
        anchor: Anchor,
        /// The words.
        words: String,
        /// Whether they are bold.
        is_bold: bool,
        /// Whether they are written upwards.
        is_upright: bool,
    },
}

/// Which part of a text is at its point.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// The start.
    Start,
    /// The middle.
    Middle,
    /// The end.
    End,
}

/// What a shape is drawn with.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ink {
    /// Of text and axes.
    Text,
    /// Of what matters less.
    Muted,
    /// Of lines that only guide the eye.
    Grid,
    /// Of the background.
    Back,
    /// Of a series, by its number. They can be told apart by nearly everybody.
    Series(usize),
}

/// For whom a drawing is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A page with a style sheet: shapes have classes instead of colours.
    Page,
    /// A file.
    File,
}

/// Colours that can be told apart by nearly everybody (Okabe and Ito); series beyond them begin again.
pub const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// The size of letters.
pub const LETTER_SIZE: f64 = 12.0;
/// The width of a letter, roughly.
const LETTER: f64 = 6.6;

impl Scene {
    /// An empty drawing.
    pub fn new(title: impl Into<String>, width: f64, height: f64) -> Scene {
        Scene { width, height, title: title.into(), shapes: Vec::new() }
    }

    /// Adds a shape.
    pub fn add(&mut self, shape: Shape) {
        self.shapes.push(shape);
    }

    /// Adds a line of text.
    pub fn text(&mut self, at: [f64; 2], anchor: Anchor, words: impl Into<String>) {
        self.add(Shape::text(at, anchor, words));
    }

    /// The drawing as SVG.
    pub fn svg(&self, target: Target) -> String {
        let Scene { width, height, title, shapes } = self;
        let size = format!("width=\"{}\" height=\"{}\"", number(*width), number(*height));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" {size} viewBox=\"0 0 {} {}\" role=\"img\" font-family=\"sans-serif\" \
             font-size=\"{LETTER_SIZE}\">\n<title>{}</title>\n",
            number(*width),
            number(*height),
            escaped(&printable(title)),
        );
        if target == Target::File {
            let _ = writeln!(
                svg,
                "<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>",
                number(*width),
                number(*height),
                Ink::Back.colour()
            );
        }
        shapes.iter().for_each(|shape| shape.write(&mut svg, target));
        svg + "</svg>\n"
    }
}

impl Shape {
    fn new(form: Form) -> Shape {
        Shape {
            form,
            fill: None,
            stroke: None,
            is_dotted: false,
            opacity: None,
            note: None,
            link: None,
            data: Vec::new(),
        }
    }

    /// A rectangle.
    pub fn rect(at: [f64; 2], size: [f64; 2]) -> Shape {
        Shape::new(Form::Rect { at, size: size.map(|side| side.max(0.0)) })
    }

    /// Connected points.
    pub fn path(points: impl Into<Vec<[f64; 2]>>) -> Shape {
        Shape::new(Form::Path(points.into()))
    }

    /// A disc.
    pub fn circle(at: [f64; 2], radius: f64) -> Shape {
        Shape::new(Form::Circle { at, radius })
    }

    /// A line of text.
    pub fn text(at: [f64; 2], anchor: Anchor, words: impl Into<String>) -> Shape {
        let form = Form::Text { at, anchor, words: words.into(), is_bold: false, is_upright: false };
        Shape::new(form).fill(Ink::Text)
    }

    /// A line of text that is written upwards, ending at this point.
    pub fn upright(at: [f64; 2], anchor: Anchor, words: impl Into<String>) -> Shape {
        let form = Form::Text { at, anchor, words: words.into(), is_bold: false, is_upright: true };
        Shape::new(form).fill(Ink::Text)
    }

    /// The text in bold letters.
    #[must_use]
    pub fn bold(mut self) -> Shape {
        if let Form::Text { is_bold, .. } = &mut self.form {
            *is_bold = true;
        }
        self
    }

    /// Filled with an ink.
    #[must_use]
    pub fn fill(self, ink: Ink) -> Shape {
        Shape { fill: Some(ink), ..self }
    }

    /// With an outline.
    #[must_use]
    pub fn stroke(self, ink: Ink, width: f64) -> Shape {
        Shape { stroke: Some((ink, width)), ..self }
    }

    /// With a dotted outline, or not.
    #[must_use]
    pub fn dotted(self, is_dotted: bool) -> Shape {
        Shape { is_dotted, ..self }
    }

    /// Partly transparent.
    #[must_use]
    pub fn opacity(self, opacity: f64) -> Shape {
        let opacity = if opacity.is_finite() { opacity.clamp(0.0, 1.0) } else { 0.0 };
        Shape { opacity: Some(opacity), ..self }
    }

    /// With words for those who point at it.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Shape {
        Shape { note: Some(note.into()), ..self }
    }

    /// With a place that a click leads to.
    #[must_use]
    pub fn link(self, link: impl Into<String>) -> Shape {
        Shape { link: Some(link.into()), ..self }
    }

    /// With an attribute for scripts.
    #[must_use]
    pub fn data(mut self, name: &'static str, value: impl Into<String>) -> Shape {
        self.data.push((name, value.into()));
        self
    }

    fn write(&self, svg: &mut String, target: Target) {
        let link = self.link.as_ref().filter(|_| target == Target::Page);
        if let Some(link) = link {
            let _ = write!(svg, "<a href=\"{}\">", escaped(&printable(link)));
        }
        let (name, place) = self.form.place();
        let _ = write!(svg, "<{name} {place}{}", self.look(target));
        if target == Target::Page {
            for (name, value) in &self.data {
                let _ = write!(svg, " data-{name}=\"{}\"", escaped(&printable(value)));
            }
        }
        let words = match &self.form {
            Form::Text { words, .. } => escaped(&printable(words)),
            _ => String::new(),
        };
        let note = self.note.as_ref();
        let note = note.map(|note| format!("<title>{}</title>", escaped(&printable_lines(note)))).unwrap_or_default();
        match words.is_empty() && note.is_empty() {
            true => svg.push_str("/>"),
            false => {
                let _ = write!(svg, ">{note}{words}</{name}>");
            }
        }
        svg.push_str(if link.is_some() { "</a>\n" } else { "\n" });
    }

    /// Fill and outline.
    fn look(&self, target: Target) -> String {
        let mut look = String::new();
        match target {
            Target::Page => {
                let fill = self.fill.map_or("f-none".to_string(), |ink| format!("f-{}", ink.name()));
                let stroke = self.stroke.map(|(ink, _)| format!(" s-{}", ink.name())).unwrap_or_default();
                let _ = write!(look, " class=\"{fill}{stroke}\"");
            }
            Target::File => {
                let _ = write!(look, " fill=\"{}\"", self.fill.map_or("none", Ink::colour));
                if let Some((ink, _)) = self.stroke {
                    let _ = write!(look, " stroke=\"{}\"", ink.colour());
                }
            }
        }
        if let Some((_, width)) = self.stroke {
            let _ = write!(look, " stroke-width=\"{}\"", number(width));
        }
        if self.is_dotted {
            look += " stroke-dasharray=\"2 4\"";
        }
        if let Some(opacity) = self.opacity {
            let _ = write!(look, " fill-opacity=\"{opacity:.3}\"");
        }
        look
    }
}

impl Form {
    /// The name of the element, and the attributes that say where it is.
    fn place(&self) -> (&'static str, String) {
        match self {
            Form::Rect { at: [x, y], size: [width, height] } => {
                let [x, y, width, height] = [*x, *y, *width, *height].map(number);
                ("rect", format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\""))
            }
            Form::Path(points) => {
                let points: Vec<_> = points.iter().map(|[x, y]| format!("{},{}", number(*x), number(*y))).collect();
                ("polyline", format!("points=\"{}\"", points.join(" ")))
            }
            Form::Circle { at: [x, y], radius } => {
                ("circle", format!("cx=\"{}\" cy=\"{}\" r=\"{}\"", number(*x), number(*y), number(*radius)))
            }
            Form::Text { at: [x, y], anchor, is_bold, is_upright, .. } => {
                let (x, y) = (number(*x), number(*y));
                let bold = if *is_bold { " font-weight=\"bold\"" } else { "" };
                let turned = if *is_upright { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
                ("text", format!("x=\"{x}\" y=\"{y}\" text-anchor=\"{}\"{bold}{turned}", anchor.name()))
            }
        }
    }
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

impl Ink {
    /// The colour in files.
    pub fn colour(self) -> &'static str {
        match self {
            Ink::Text => "#1a1a1a",
            Ink::Muted => "#666666",
            Ink::Grid => "#dddddd",
            Ink::Back => "#ffffff",
            Ink::Series(number) => COLOURS[number % COLOURS.len()],
        }
    }

    /// The name in style sheets: `.f-NAME` fills, `.s-NAME` outlines.
    pub fn name(self) -> String {
        match self {
            Ink::Text => "text".to_string(),
            Ink::Muted => "muted".to_string(),
            Ink::Grid => "grid".to_string(),
            Ink::Back => "back".to_string(),
            Ink::Series(number) => (number % COLOURS.len()).to_string(),
        }
    }
}

/// How wide a text is, roughly.
pub fn width_of(words: &str) -> f64 {
    LETTER * words.chars().count() as f64
}

/// The beginning of a text that is too long.
pub fn shortened(words: &str, most: usize) -> String {
    if words.chars().count() <= most {
        return words.to_string();
    }
    words.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// With one decimal, if it needs one; what is not a number is 0.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_string();
    }
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// Text as it is written in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{Anchor, Ink, Scene, Shape, Target, number, shortened};

    #[test]
    fn text_from_outside_stays_text() {
        let hostile = "</title><script>alert(1)</script>\" onload=\"x\u{7}";
        let mut scene = Scene::new(hostile, 10.0, 10.0);
        scene.add(Shape::circle([1.0, 1.0], 2.0).note(hostile).link(hostile).data("name", hostile));
        scene.text([0.0, 0.0], Anchor::Start, hostile);
        for target in [Target::Page, Target::File] {
            let svg = scene.svg(target);
            assert!(!svg.contains("<script") && !svg.contains("\" onload=\"") && !svg.contains('\u{7}'), "{svg}");
        }
    }

    #[test]
    fn pages_have_classes_and_files_have_colours() {
        let mut scene = Scene::new("t", 10.0, 10.0);
        scene.add(Shape::rect([0.0, 0.0], [f64::NAN, 3.0]).fill(Ink::Series(8)).stroke(Ink::Grid, 1.0).opacity(0.5));
        let page = scene.svg(Target::Page);
        assert!(page.contains("class=\"f-1 s-grid\"") && !page.contains('#'), "{page}");
        let file = scene.svg(Target::File);
        assert!(file.contains("fill=\"#d55e00\" stroke=\"#dddddd\"") && !file.contains("class"), "{file}");
        assert!(file.contains("fill-opacity=\"0.500\"") && file.contains("width=\"0\""), "{file}");
    }

    #[test]
    fn numbers_and_names_are_short() {
        assert_eq!([1.0, 1.26, -0.01, f64::INFINITY].map(number), ["1", "1.3", "0", "0"]);
        assert_eq!((shortened("abc", 3), shortened("abcd", 3)), ("abc".to_string(), "ab…".to_string()));
    }
}
