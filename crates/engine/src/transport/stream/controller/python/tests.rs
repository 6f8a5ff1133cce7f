//! A host whose instances are controllers of this crate shows what any host sees.

use super::super::laws::{acked, congestion};
use super::super::{ControllerParams, ControllerState, Signal};
use std::sync::Arc;

use super::*;
use crate::core::class::Parameters;
use crate::core::reading::Unit;

/// Makes NewReno, which fails at a certain call.
#[derive(Debug)]
struct Reno {
    fails_at: u64,
    window: Option<f64>,
}

#[derive(Debug)]
struct RenoInstance {
    controller: ControllerState,
    left: u64,
    window: Option<f64>,
}

impl RenoInstance {
    fn decide(&mut self, method: &'static str, call: impl FnOnce(&mut ControllerState)) -> Decided {
        if self.left == 0 {
            return Err(Failure { method, told: "ValueError: so it is".to_owned() });
        }
        self.left -= 1;
        call(&mut self.controller);
        self.decision().map(Some)
    }
}

impl Controllers for Reno {
    fn make(&self, _: &Params, env: &Env) -> Result<(Box<dyn Instance>, Decision), Failure> {
        let controller = toml::from_str::<ControllerParams>("new_reno = {}").unwrap().build(*env);
        let made = RenoInstance { controller, left: self.fails_at, window: None };
        let decision = made.decision()?;
        Ok((Box::new(RenoInstance { window: self.window, ..made }), decision))
    }
}

impl Attributes for RenoInstance {
    fn change(&mut self, values: &Parameters) -> Result<(), Failure> {
        let Some(left) = values["left"].as_u64() else {
            return Err(Failure { method: "parameters", told: "TypeError: left".to_owned() });
        };
        self.left = left;
        Ok(())
    }

    fn attribute(&self, name: &str) -> Result<f64, Failure> {
        match name {
            "left" if self.left < 5 => Ok(self.left as f64),
            _ => Err(Failure { method: "readings", told: format!("AttributeError: {name}") }),
        }
    }
}

impl Instance for RenoInstance {
    fn fork(&self) -> Result<Box<dyn Instance>, Failure> {
        let RenoInstance { controller, left, window } = self;
        if *left == 7 {
            return Err(Failure { method: "deepcopy", told: "TypeError: it has a file".to_owned() });
        }
        Ok(Box::new(RenoInstance { controller: controller.clone(), left: *left, window: *window }))
    }

    fn decision(&self) -> Result<Decision, Failure> {
        let own = self.controller.window() as f64;
        Ok(Decision { window: self.window.unwrap_or(own), pacing_rate: None, is_in_slow_start: false })
    }

    fn on_ack(&mut self, ack: &Acked) -> Decided {
        self.decide("on_ack", |controller| controller.on_ack(ack))
    }

    fn on_congestion(&mut self, congestion: &Congestion) -> Decided {
        self.decide("on_congestion", |controller| controller.on_congestion(congestion))
    }

    fn on_lost(&mut self, _: &Lost) -> Decided {
        Ok(None)
    }

    fn on_telemetry(&mut self, _: &Hops, _: Time) -> Decided {
        Ok(None)
    }

    fn on_idle(&mut self, now: Time) -> Decided {
        self.decide("on_idle", |controller| controller.on_idle(now))
    }
}

fn params() -> Params {
    toml::from_str("file = 'gentle.py'\nclass = 'Gentle'\nsource = 'class Gentle: pass'").unwrap()
}

fn hosted(fails_at: u64, window: Option<f64>) -> Python {
    let host = Host::new(Arc::new(Reno { fails_at, window }));
    Python::new(&Params { host, ..params() }, Env::of(1000, 10))
}

#[test]
fn a_host_decides_as_its_own_controller_does() {
    let mut own = toml::from_str::<ControllerParams>("new_reno = {}").unwrap().build(Env::of(1000, 10));
    let mut hosted = hosted(u64::MAX, None);
    assert_eq!(hosted.window(), own.window());
    for step in 0..200 {
        if step % 17 == 16 {
            let lost = congestion(Signal::Loss, 9_000);
            own.on_congestion(&lost);
            hosted.on_congestion(&lost);
        } else {
            own.on_ack(&acked(1500));
            hosted.on_ack(&acked(1500));
        }
        let mut copy = hosted.clone();
        copy.on_ack(&acked(1000));
        assert_eq!(hosted.window(), own.window());
    }
    assert_eq!(hosted.broken(), None);
}

#[test]
fn a_change_reaches_the_instance_once() {
    let changed = |parameters: &str| {
        let text = format!("file = 'a.py'\nclass = 'A'\nsource = 'x'\nparameters = {{ {parameters} }}");
        ControllerParams::Python(toml::from_str(&text).unwrap())
    };
    let mut hosted = hosted(u64::MAX, None);
    hosted.retune(&changed("left = 2"), Time::ZERO);
    hosted.on_ack(&acked(1000));
    hosted.retune(&changed("left = 2"), Time::ZERO);
    hosted.on_ack(&acked(1000));
    assert_eq!(hosted.broken(), None);
    hosted.on_ack(&acked(1000));
    assert!(hosted.broken().is_some_and(|broken| broken.fault("", "").reason.contains("so it is")));
    let mut without = self::hosted(u64::MAX, None);
    without.retune(&changed("left = 2"), Time::ZERO);
    without.retune(&changed(""), Time(3_000));
    let reason = without.broken().map(|broken| broken.fault("", "flow a.0").reason);
    let reason = reason.unwrap_or_default();
    assert!(reason.starts_with("parameters failed at 3 ns of flow a.0: left is left out"), "{reason}");
}

#[test]
fn after_a_fault_the_window_stays_and_the_fault_tells_all() {
    let mut hosted = hosted(1, None);
    hosted.on_ack(&acked(1000));
    assert_eq!((hosted.window(), hosted.broken()), (11_000, None));
    let now = Time::ZERO + crate::core::time::Span::milliseconds(1_500);
    (0..3).for_each(|_| hosted.on_ack(&Acked { now, ..acked(1000) }));
    assert_eq!(hosted.window(), 11_000);
    let fault = hosted.broken().unwrap().fault("controller.python", "flow a.0");
    assert_eq!(fault.reason, "on_ack failed at 1.5 s of flow a.0: ValueError: so it is");
    assert_eq!((fault.value.as_str(), fault.remedy.as_str()), ("Gentle", "correct Gentle in gentle.py"));
    assert_eq!(hosted.clone().broken(), hosted.broken());
}

#[test]
fn its_attributes_are_readings_with_the_name_of_the_class() {
    let start = |fails_at, readings: &str| {
        let host = Host::new(Arc::new(Reno { fails_at, window: None }));
        Python::new(&Params { host, readings: toml::from_str(readings).unwrap(), ..params() }, Env::of(1000, 10))
    };
    let mut hosted = start(4, "left = 'share'");
    hosted.on_ack(&acked(1000));
    let mut found = Vec::new();
    hosted.clone().readings(&mut |reading, value| found.push((reading.name, reading.unit, value)));
    assert_eq!(found, [("Gentle_left", Unit::Share, 3.0)]);
    // One that is not there is a fault from the beginning.
    let broken = start(4, "other = 'count'");
    let fault = broken.broken().unwrap().fault("controller.python", "flow a.0");
    assert_eq!(fault.reason, "readings failed at 0 s of flow a.0: AttributeError: other");
    broken.readings(&mut |reading, _| panic!("{reading:?}"));
}

#[test]
fn what_no_sender_can_do_is_a_fault() {
    for (window, told) in [(f64::NAN, "nan"), (-1.0, "-1"), (f64::INFINITY, "inf"), (1e9 + 1.0, "1000000001")] {
        let mut hosted = hosted(9, Some(window));
        hosted.on_ack(&acked(1000));
        let fault = hosted.broken().unwrap().fault("controller.python", "flow a.0");
        let told = format!(" of flow a.0: it is {told}, and must be ");
        assert!(fault.reason.starts_with("window failed at 0") && fault.reason.contains(&told), "{}", fault.reason);
    }
}

#[test]
fn a_state_that_cannot_be_copied_is_a_fault_of_the_copy_alone() {
    let hosted = hosted(7, None);
    let copy = hosted.clone();
    assert!(copy.broken().unwrap().fault("controller.python", "flow a.0").reason.contains("TypeError: it has a file"));
    assert_eq!(hosted.broken(), None);
}

#[test]
fn without_a_host_nothing_runs_and_the_fault_says_how_to_consent() {
    let unhosted = Python::new(&params(), Env::of(1000, 10));
    let fault = unhosted.broken().unwrap().fault("controller.python", "flow a.0");
    assert!(fault.remedy.contains("--allow-python") && fault.remedy.contains("allow_python=True"), "{fault:?}");
}

#[test]
fn faults_of_parameters_name_them() {
    for (text, path) in [
        ("file = 'a.py'\nclass = '1a'\nsource = 'x'", "class"),
        ("file = 'a.py'\nclass = 'A'", "file"),
        ("file = 'a.py'\nclass = 'A'\nsource = 'x'\nparameters = { a = [1] }", "parameters.a"),
        ("file = 'a.py'\nclass = 'A'\nsource = 'x'\nparameters = { 'a b' = 1 }", "parameters.\"a b\""),
        (
            "file = 'a.py'\nclass = 'A'\nsource = 'x'\narguments = ['beta']\nparameters = { bata = 1 }",
            "parameters.bata",
        ),
    ] {
        let params: Params = toml::from_str(text).unwrap();
        assert_eq!(params.check().unwrap_err().path, path);
    }
}
