use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep},
};
use tokio_rustls::server::TlsStream;
use tonic::transport::server::Connected;

use super::{CUT, ConnectedFrom, Slot};

/// The bytes of a connection.
pub enum Bytes {
    /// As they are.
    Plain(TcpStream),
    /// Within TLS.
    Secured(Box<TlsStream<TcpStream>>),
}

/// A connection that ends by itself when it is not used.
pub struct Connection {
    bytes: Bytes,
    from: ConnectedFrom,
    timer: Pin<Box<Sleep>>,
    _slot: Slot,
}

impl Connection {
    pub(super) fn new(bytes: Bytes, from: ConnectedFrom, slot: Slot) -> Self {
        let now = Instant::now();
        let timer = Box::pin(tokio::time::sleep_until(from.activity.may_last(now).unwrap_or(now)));
        Self { bytes, from, timer, _slot: slot }
    }

    /// Whether it has lasted too long without use. Whoever serves a connection reads from it at all times, so this is asked in time.
    fn poll_overdue(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.timer.as_mut().poll(context));
            match self.from.activity.may_last(Instant::now()) {
                Some(end) => self.timer.as_mut().reset(end),
                None => return Poll::Ready(()),
            }
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = ConnectedFrom;

    fn connect_info(&self) -> ConnectedFrom {
        self.from.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.poll_overdue(context).is_ready() {
            metrics::counter!(CUT).increment(1);
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "not used for too long")));
        }
        match &mut self.bytes {
            Bytes::Plain(tcp) => Pin::new(tcp).poll_read(context, buffer),
            Bytes::Secured(tls) => Pin::new(tls).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.bytes {
            Bytes::Plain(tcp) => Pin::new(tcp).poll_write(context, bytes),
            Bytes::Secured(tls) => Pin::new(tls).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut self.bytes {
            Bytes::Plain(tcp) => Pin::new(tcp).poll_write_vectored(context, slices),
            Bytes::Secured(tls) => Pin::new(tls).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match &self.bytes {
            Bytes::Plain(tcp) => tcp.is_write_vectored(),
            Bytes::Secured(tls) => tls.is_write_vectored(),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.bytes {
            Bytes::Plain(tcp) => Pin::new(tcp).poll_flush(context),
            Bytes::Secured(tls) => Pin::new(tls).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.bytes {
            Bytes::Plain(tcp) => Pin::new(tcp).poll_shutdown(context),
            Bytes::Secured(tls) => Pin::new(tls).poll_shutdown(context),
        }
    }
}
