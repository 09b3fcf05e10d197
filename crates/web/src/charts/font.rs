//! Letters as outlines, from DejaVu Sans. A font of the system would give other pictures on every machine, or none.

use tiny_skia::PathBuilder;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// A font.
pub struct Font {
    face: Face<'static>,
}

/// Writes the outline of a letter at its place.
struct Pen<'a> {
    path: &'a mut PathBuilder,
    x: f32,
    scale: f32,
}

impl Font {
    /// A font from its file; none if the file is damaged.
    pub fn new(bytes: &'static [u8]) -> Option<Font> {
        Face::parse(bytes, 0).ok().map(|face| Font { face })
    }

    /// How wide a text is at this size.
    pub fn width(&self, words: &str, size: f32) -> f32 {
        words.chars().map(|letter| self.advance(self.glyph(letter), size)).sum()
    }

    /// Adds the outlines of a text, beginning at `x` on the base line.
    pub fn write(&self, path: &mut PathBuilder, words: &str, x: f32, size: f32) {
        let (mut x, scale) = (x, self.scale(size));
        for letter in words.chars() {
            let glyph = self.glyph(letter);
            self.face.outline_glyph(glyph, &mut Pen { path, x, scale });
            x += self.advance(glyph, size);
        }
    }

    fn scale(&self, size: f32) -> f32 {
        size / f32::from(self.face.units_per_em().max(1))
    }

    fn advance(&self, glyph: GlyphId, size: f32) -> f32 {
        f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) * self.scale(size)
    }

    /// The shape of a letter; that of no letter in particular if the font does not have it.
    fn glyph(&self, letter: char) -> GlyphId {
        self.face.glyph_index(letter).unwrap_or(GlyphId(0))
    }
}

impl Pen<'_> {
    /// Fonts count upwards.
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
