//! Files that pages refer to. Their addresses contain a hash of their content, so that browsers may keep them for ever and
//! still get new ones.

use hyper::header::{CACHE_CONTROL, HeaderValue};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::WebError;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Route, get};
use crate::shared::Shared;

/// The folder of all assets.
pub const FOLDER: &str = "/assets/";

/// Serves them.
pub const ROUTES: &[Route] = &[get("/assets/{hash}/{name}", serve), get("/favicon.ico", favicon)];

/// A file that is part of the program.
#[derive(Copy, Clone, Debug)]
pub struct Asset {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub content_type: &'static str,
    /// What is in it.
    pub content: &'static str,
}

/// The style sheet of all pages.
pub const STYLE: Asset = Asset {
    name: "style.css",
    content_type: "text/css; charset=utf-8",
    content: concat!(
        include_str!("assets/style.css"),
        include_str!("assets/charts.css"),
        include_str!("assets/explore.css")
    ),
};
/// What all pages do by script: live updates, menus, keyboard.
pub const SCRIPT: Asset = script("plysmith.js", include_str!("assets/plysmith.js"));
/// What charts, tables and boards do by script.
pub const CHARTS: Asset = script("charts.js", include_str!("assets/charts.js"));
/// What the position explorer does by script.
pub const EXPLORE: Asset = script("explore.js", include_str!("assets/explore.js"));
/// What the board of a game against an engine does by script.
pub const PLAY: Asset = script("play.js", include_str!("assets/play.js"));
/// The picture beside the title.
pub const ICON: Asset =
    Asset { name: "icon.svg", content_type: "image/svg+xml", content: include_str!("assets/icon.svg") };

/// All files. Add yours here.
const ASSETS: &[Asset] = &[STYLE, SCRIPT, CHARTS, EXPLORE, PLAY, ICON];

/// A script.
pub const fn script(name: &'static str, content: &'static str) -> Asset {
    Asset { name, content_type: "text/javascript; charset=utf-8", content }
}

impl Asset {
    /// Where it is served.
    pub fn url(&self) -> String {
        format!("{FOLDER}{}/{}", self.hash(), self.name)
    }

    fn hash(&self) -> String {
        format!("{:016x}", xxh3_64(self.content.as_bytes()))
    }
}

fn serve(_: &Shared, request: &Request) -> Result<Reply, WebError> {
    let asset = ASSETS.iter().find(|asset| asset.name == request.part("name") && asset.hash() == request.part("hash"));
    let asset = asset.ok_or_else(|| WebError::not_found("there is no such file"))?;
    let mut reply = Reply::new(asset.content_type, asset.content);
    reply.headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    Ok(reply)
}

fn favicon(_: &Shared, _: &Request) -> Result<Reply, WebError> {
    Ok(Reply::new(ICON.content_type, ICON.content))
}
