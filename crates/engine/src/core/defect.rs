//! Panics as errors. The engine panics where one of its own assumptions does not hold: that is a defect, and whoever
//! meets it wants to report it, not to read a trace or to lose what else was running.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

use crate::core::error::Error;

thread_local! {
    /// Where the last panic of this thread was.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on a panic prints nothing; [`caught`] tells where it was.
pub fn keep_places() {
    set_hook(Box::new(|panic| {
        let place = panic.location().map_or(String::new(), |place| format!(" at {}:{}", place.file(), place.line()));
        PLACE.set(place);
    }));
}

/// What `work` gives; a panic in it is an error. Nothing that it was working on may be used after that.
///
/// # Errors
/// Those of `work`, and [`Error::Panic`].
pub fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Error::Panic { place: PLACE.take(), message: message(&*panic) }))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no reason given").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::error::{Fault, REPORT};

    #[test]
    fn a_panic_is_an_error_of_one_paragraph() {
        let told = caught::<()>(|| {
            // As the hook leaves it, which is one for all threads and not set here.
            PLACE.set(" at world.rs:7".into());
            let nothing: [u8; 0] = [];
            let index = std::hint::black_box(3);
            Err(Fault::new("", nothing[index], "", "").into())
        });
        let told = told.unwrap_err().to_string();
        let begin = "the engine has failed at world.rs:7: index out of bounds: the len is 0 but the index is 3; ";
        assert_eq!(told, format!("{begin}{REPORT}"));
        let told = caught::<()>(|| panic!("two\n  lines of {}", "text")).unwrap_err().to_string();
        assert!(told.starts_with("the engine has failed: two lines of text; "), "{told}");
        assert_eq!(caught(|| Ok(7)), Ok(7));
        let fault = Error::from(Fault::new("path", "", "reason", ""));
        assert_eq!(caught::<()>(|| Err(fault.clone())), Err(fault));
    }
}
