//! Capacities that several lines share: finds their ports.

use super::{Network, Shared};
use crate::core::error::Fault;
use crate::core::suggestion::suggestion;
use crate::core::time::{LineRate, Rate};
use crate::scenario::path::shown_key;
use crate::scenario::spec::Capacity;

/// Gives the ports of each shared capacity the bounds of their rates.
pub(super) fn share(network: &mut Network<'_>) -> Result<(), Fault> {
    let mut owners: Vec<Option<&str>> = vec![None; network.ports.len()];
    for (name, params) in &network.scenario.capacity {
        let under = |fault: Fault| fault.under(&shown_key(name)).under("capacity");
        let mut ports = Vec::new();
        for (index, line) in params.lines.iter().enumerate() {
            let port = named_port(network, line, &format!("lines[{index}]")).map_err(under)?;
            if let Some(owner) = owners[port].replace(name) {
                let reason = format!("the line shares the capacity `{owner}` already");
                let remedy = "name each line in one capacity";
                return Err(under(Fault::new(format!("lines[{index}]"), line, reason, remedy)));
            }
            if network.ports[port].opportunities.is_some() {
                let reason = "the line has opportunities, and their rate is no share";
                let remedy = "leave it out, or delete its `opportunities`";
                return Err(under(Fault::new(format!("lines[{index}]"), line, reason, remedy)));
            }
            network.ports[port].set_share([params.least, params.most]);
            ports.push(port);
        }
        check_rates(network, params, &ports).map_err(under)?;
        network.capacities.push(Shared { params: params.clone(), ports });
    }
    Ok(())
}

/// The port of a line between two nodes with that name. `path` is the place of the name.
fn named_port(network: &Network<'_>, name: &str, path: &str) -> Result<usize, Fault> {
    let lines = network.ports.iter().enumerate().filter(|(_, port)| port.path.starts_with("line."));
    let found = lines.clone().find_map(|(index, port)| (port.name() == name).then_some(index));
    found.ok_or_else(|| {
        let names: Vec<String> = lines.map(|(_, port)| port.name()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let remedy = suggestion(name, &names, "name a [line.NAME], or LINE.reverse");
        Fault::new(path, name, "there is no such line between two nodes", remedy)
    })
}

/// Refuses rates of the lines that are no shares of the capacity.
fn check_rates(network: &Network<'_>, params: &Capacity, ports: &[usize]) -> Result<(), Fault> {
    let mut sum = 0u64;
    for (index, &port) in ports.iter().enumerate() {
        let place = format!("lines[{index}]");
        let line = &params.lines[index];
        let rate = match network.ports[port].rate {
            Some(LineRate::Bits(rate)) => rate,
            other => {
                let shown = other.map_or(String::new(), |rate| rate.to_string());
                let reason = format!("its rate is `{shown}`, and shares are in bits per second");
                let remedy = format!("give line.{line} a rate such as \"6 Mb/s\"");
                return Err(Fault::new(place, line, reason, remedy));
            }
        };
        if rate < params.least || rate > params.most {
            let reason = format!("its rate of {rate} is not from {} to {}", params.least, params.most);
            let remedy = format!("give line.{line} such a rate, or change `least` or `most`");
            return Err(Fault::new(place, line, reason, remedy));
        }
        sum = sum.saturating_add(rate.0);
    }
    if sum != params.total.0 {
        let reason = format!("the rates of its lines add up to {}: they are the first shares", Rate(sum));
        return Err(Fault::new("total", params.total, reason, format!("give {}, or change the rates", Rate(sum))));
    }
    Ok(())
}
