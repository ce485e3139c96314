//! How a process runs and ends.

use std::{future::Future, process::ExitCode};

use platform::{config::ServerArgs, node::Running, shutdown::Signals, tower::Replica};

/// What a command's end means for the exit code.
pub trait Ending {
    /// The exit code.
    fn code(self) -> ExitCode;
}

impl Ending for () {
    fn code(self) -> ExitCode {
        ExitCode::SUCCESS
    }
}

impl Ending for ExitCode {
    fn code(self) -> ExitCode {
        self
    }
}

/// Runs a command to its end; an error is printed with its causes.
pub fn run<E: Ending>(command: impl Future<Output = anyhow::Result<E>>) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("nigiri: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(command) {
        Ok(ending) => ending.code(),
        Err(error) => {
            eprintln!("nigiri: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until a signal or until an operator wants the process to end, then drains; a second signal ends the process at once. `service` is
/// what operators see it as.
///
/// # Errors
/// When serving ended by a fault.
pub async fn serve(
    mut node: Running,
    mut signals: Signals,
    args: &ServerArgs,
    service: &str,
) -> anyhow::Result<()> {
    let context = node.context().clone();
    let drain = context.switches().drain().clone();
    context.shutdown.spawn(Replica::new(service, &context).run(context.clone()));
    let failed = tokio::select! {
        () = signals.next() => {
            tracing::info!("draining: streams are told, calls finish");
            false
        }
        () = drain.cancelled() => {
            tracing::info!("draining, as an operator wants it");
            false
        }
        () = node.failed() => true,
    };
    let end = node.stop(args.shutdown_delay, args.shutdown_grace);
    tokio::select! {
        () = end => {}
        () = signals.next() => anyhow::bail!("ended at once by a second signal"),
    }
    anyhow::ensure!(!failed, "serving ended by a fault");
    Ok(())
}
