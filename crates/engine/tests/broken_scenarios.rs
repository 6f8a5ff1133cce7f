//! A corpus of broken scenarios, one mistake each: every one is refused, in words that are pinned.
//!
//! `broken/base.toml` has no mistake. A case of the other files is a name and what makes the mistake: a part of the base
//! and what takes its place, or a whole text. `INSTA_UPDATE=always cargo test --test engine broken_scenarios` pins new
//! words: read them as whoever made the mistake would.

use penstock_engine::core::error::{Error, Fault};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use penstock_engine::scenario::path::Path;
use penstock_engine::scenario::spec::Limits;
use penstock_engine::scenario::spec::Scenario;
use toml::de::{DeTable, DeValue};

const BASE: &str = include_str!("broken/base.toml");

/// The cases of a file in its order: name, and text of the scenario.
fn cases(file: &str) -> Vec<(String, String)> {
    let table = DeTable::parse(file).unwrap_or_else(|error| panic!("{error}"));
    let mut cases: Vec<_> = table.get_ref().iter().collect();
    cases.sort_by_key(|(name, _)| name.span().start);
    let text_of = |name: &str, case: &DeValue<'_>| match case {
        DeValue::String(whole) => whole.to_string(),
        DeValue::Array(parts) => {
            let [found, put] = [0, 1].map(|index| parts[index].get_ref().as_str().expect(name));
            assert_eq!(BASE.matches(found).count(), 1, "{name}: {found} is in the base once");
            BASE.replace(found, put)
        }
        _ => panic!("{name}: a case is a text, or two"),
    };
    cases.iter().map(|(name, case)| (name.get_ref().to_string(), text_of(name.get_ref(), case.get_ref()))).collect()
}

/// What `penstock check` refuses.
fn check(text: &str) -> Result<(), Error> {
    let scenario = document::parse(text)?;
    let built = Run::new(&scenario, 1, 0, Form::Fast);
    let bounded = |run: Run| Ok(run.estimate().check(&Limits::default())?);
    built.and_then(bounded).and_then(|()| check_points(&scenario)).map_err(|error| document::with_line(error, text))
}

/// The steps of each axis of its sweep by themselves, as `penstock sweep` makes and names them.
fn check_points(scenario: &Scenario) -> Result<(), Error> {
    let Some(sweep) = &scenario.sweep else { return Ok(()) };
    let base = document::to_json(&Scenario { sweep: None, ..scenario.clone() });
    for (number, length) in sweep.lengths()?.into_iter().enumerate() {
        for step in 0..length {
            let values: Vec<_> = sweep.paths(number).zip(sweep.values(number, step)).collect();
            let changes: Vec<_> = values.iter().map(|(path, value)| (*path, value.to_string())).collect();
            let point = document::with_values(&base, &changes).and_then(|json| document::from_json(&json));
            point
                .and_then(|point| Run::new(&point, 1, 0, Form::Fast))
                .map_err(|error| in_axis(error, number, &values))?;
        }
    }
    Ok(())
}

fn in_axis(error: Error, axis: usize, values: &[(&str, serde_json::Value)]) -> Error {
    let Error::Scenario { path, value, reason, remedy, .. } = error else { return error };
    let leads_into = |place: &str| path.parse().is_ok_and(|path: Path| path.leads_into(&place.parse().unwrap()));
    match values.iter().find(|(place, _)| leads_into(place)) {
        Some((place, own)) => {
            let value = if value.is_empty() { own.to_string() } else { value };
            Fault::new(format!("sweep.axis[{axis}].{place}"), value, reason, remedy).into()
        }
        None => Fault::new(path, value, reason, remedy).into(),
    }
}

fn told(file: &str) -> String {
    let told = cases(file).into_iter().map(|(name, text)| {
        let error = check(&text).expect_err(&format!("{name}: accepted in silence"));
        format!("{name}\n    {error}")
    });
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_base_has_no_mistake() {
    assert_eq!(check(BASE), Ok(()));
    assert_eq!(check(&BASE.replace('\n', "\r\n")), Ok(()));
}

macro_rules! corpus {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(told(include_str!(concat!("broken/", stringify!($name), ".toml"))));
        }
    )*};
}

corpus! { syntax top lines control flows policers sweeps networks changes }
