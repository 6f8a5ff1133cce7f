//! Turns panics into errors. The engine panics if one of its own assumptions is wrong. Such a defect becomes an error
//! that users can report, without a trace, and other runs continue.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

use crate::core::error::Error;

thread_local! {
    /// Location of the last panic of this thread.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// After this call a panic prints nothing, and [`caught`] reports its location.
pub fn keep_places() {
    set_hook(Box::new(|panic| {
        let place = panic.location().map_or(String::new(), |place| format!(" at {}:{}", place.file(), place.line()));
        PLACE.set(place);
    }));
}

/// The result of `work`; a panic in it becomes an error. After a panic, do not use anything that `work` had changed.
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
        let text = caught::<()>(|| {
            // The hook sets this. All threads share the hook, so this test does not install it.
            PLACE.set(" at world.rs:7".into());
            let nothing: [u8; 0] = [];
            let index = std::hint::black_box(3);
            Err(Fault::new("", nothing[index], "", "").into())
        });
        let text = text.unwrap_err().to_string();
        let begin = "the engine has failed at world.rs:7: index out of bounds: the len is 0 but the index is 3; ";
        assert_eq!(text, format!("{begin}{REPORT}"));
        let text = caught::<()>(|| panic!("two\n  lines of {}", "text")).unwrap_err().to_string();
        assert!(text.starts_with("the engine has failed: two lines of text; "), "{text}");
        assert_eq!(caught(|| Ok(7)), Ok(7));
        let fault = Error::from(Fault::new("path", "", "reason", ""));
        assert_eq!(caught::<()>(|| Err(fault.clone())), Err(fault));
    }
}
