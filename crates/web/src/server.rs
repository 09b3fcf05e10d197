//! The server: connections, their limits, and the thread that answers.
//!
//! One thread does all input and output; handlers, which read the store, run on a few others. Nothing that a client sends
//! or leaves out makes the server wait for ever or hold more than a bounded amount of memory.

mod patient;

use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::timeout;

use crate::app::App;
use crate::error::WebError;
use crate::feed::{self, Open};
use crate::reply::{Content, Reply};
use crate::request::Request;
use patient::Patient;

/// Requests that are answered at a time; more wait.
const MOST_HANDLERS: usize = 8;
/// Headers of a request.
const MOST_HEADERS: usize = 64;
/// The bytes of a request's head.
const MOST_HEAD: usize = 32 << 10;
/// The bytes of a request's body.
pub const MOST_BODY: usize = 256 << 10;
/// How often the server looks whether it is to stop.
const STOP_INTERVAL: Duration = Duration::from_millis(100);

/// What the server bears from its clients.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Connections at a time; more wait to be accepted.
    pub connections: usize,
    /// How long a client may take for the head of a request, and how long a connection may be idle.
    pub head: Duration,
    /// How long a client may take for the body of a request.
    pub body: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { connections: 128, head: Duration::from_secs(15), body: Duration::from_secs(15) }
    }
}

/// A server that listens, and answers once it is run.
pub struct Server {
    app: Arc<App>,
    listener: std::net::TcpListener,
    limits: Limits,
}

impl Server {
    /// Listens on an address. Port 0 stands for any free one.
    pub fn bind(address: SocketAddr, app: App) -> std::io::Result<Server> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Server { app: Arc::new(app), listener, limits: Limits::default() })
    }

    /// With other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Server {
        Server { limits, ..self }
    }

    /// The address, with the port that was free.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What it answers with.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Answers until `stop` says so.
    pub fn run(self, stop: impl Fn() -> bool) -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(2 * MOST_HANDLERS)
            .thread_name("web")
            .build()?;
        runtime.block_on(async {
            let listener = TcpListener::from_std(self.listener)?;
            let accepting = tokio::spawn(accept(listener, self.app, self.limits));
            while !stop() && !accepting.is_finished() {
                tokio::time::sleep(STOP_INTERVAL).await;
            }
            accepting.abort();
            Ok(())
        })
        // Connections end with the runtime.
    }
}

async fn accept(listener: TcpListener, app: Arc<App>, limits: Limits) {
    let connections = Arc::new(Semaphore::new(limits.connections));
    let handlers = Arc::new(Semaphore::new(MOST_HANDLERS));
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                // Out of file descriptors, or the client is gone already.
                tokio::time::sleep(STOP_INTERVAL).await;
                continue;
            }
        };
        let (app, handlers) = (Arc::clone(&app), Arc::clone(&handlers));
        tokio::spawn(async move {
            serve(stream, app, handlers, limits).await;
            drop(permit);
        });
    }
}

async fn serve(stream: TcpStream, app: Arc<App>, handlers: Arc<Semaphore>, limits: Limits) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let (app, handlers) = (Arc::clone(&app), Arc::clone(&handlers));
        async move {
            let request = read(request, limits.body).await;
            let reply = answer(app, &handlers, request).await;
            let mut response = Response::new(match reply.body {
                Content::Feed(feed) => Content::Stream(follow(feed, handlers)),
                other => other,
            });
            (*response.status_mut(), *response.headers_mut()) = (reply.status, reply.headers);
            Ok::<Response<Content>, std::convert::Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(MOST_HEAD)
        .max_headers(MOST_HEADERS)
        .serve_connection(TokioIo::new(Patient::new(stream)), service);
    // A client that breaks off, or sends what is not HTTP, concerns nobody else.
    let _ = pin!(connection).await;
}

/// Runs the handler on a thread where it may wait for the disk.
async fn answer(app: Arc<App>, handlers: &Semaphore, request: Result<Request, WebError>) -> Reply {
    let Ok(_permit) = handlers.acquire().await else { return app.answer(Err(WebError::busy("the server stops"))) };
    let own = Arc::clone(&app);
    let answered = tokio::task::spawn_blocking(move || own.answer(request)).await;
    answered.unwrap_or_else(|_| app.answer(Err(WebError::failed("this page failed; the server goes on"))))
}

/// Asks a feed for news as long as somebody listens.
fn follow(feed: Box<Open>, handlers: Arc<Semaphore>) -> Receiver<Bytes> {
    let (sender, receiver) = channel(1);
    tokio::spawn(async move {
        let mut feed = feed;
        loop {
            let Ok(permit) = handlers.acquire().await else { return };
            let asked = tokio::task::spawn_blocking(move || {
                let news = feed.next();
                (feed, news)
            });
            let Ok((asked_feed, (bytes, is_more, is_end))) = asked.await else { return };
            drop(permit);
            feed = asked_feed;
            if (!bytes.is_empty() && sender.send(bytes).await.is_err()) || is_end {
                return;
            }
            if !is_more && timeout(feed::INTERVAL, sender.closed()).await.is_ok() {
                return;
            }
        }
    });
    receiver
}

/// Reads a whole request.
async fn read(request: hyper::Request<Incoming>, patience: Duration) -> Result<Request, WebError> {
    let (head, body) = request.into_parts();
    let body = match head.method {
        Method::POST => match timeout(patience, collect(body)).await {
            Ok(body) => body?,
            Err(_) => return Err(WebError::too_slow("the request did not come in time")),
        },
        _ => Vec::new(),
    };
    Request::new(head.method, &head.uri, head.headers, &body)
}

/// The bytes of a body, unless they are too many.
async fn collect(mut body: Incoming) -> Result<Vec<u8>, WebError> {
    let mut bytes = Vec::new();
    while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| WebError::bad_request("the request broke off"))?;
        if let Some(data) = frame.data_ref() {
            if bytes.len() + data.len() > MOST_BODY {
                return Err(WebError::too_large(format!("a form may have {} KB", MOST_BODY >> 10)));
            }
            bytes.extend_from_slice(data);
        }
    }
    Ok(bytes)
}

/// A server on a thread of its own, for tests and for programs with other things to do. It stops when this is dropped.
pub struct Background {
    /// Where it listens.
    pub address: SocketAddr,
    app: Arc<App>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<std::io::Result<()>>>,
}

impl Background {
    /// Starts a server on a free port of this machine.
    pub fn start(app: App, limits: Limits) -> std::io::Result<Background> {
        let server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), app)?.with_limits(limits);
        let (address, app, stop) = (server.address()?, Arc::clone(server.app()), Arc::new(AtomicBool::new(false)));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || server.run(|| stopped.load(Ordering::Relaxed)));
        Ok(Background { address, app, stop, thread: Some(thread) })
    }

    /// What it answers with.
    pub fn app(&self) -> &App {
        &self.app
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
