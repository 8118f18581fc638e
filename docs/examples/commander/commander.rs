// A commander in Rust, which reads with the durables that shadowd makes: what is
// published while it is away waits for it.
//
//   cargo add async-nats futures serde_json && cargo add tokio --features full
//   NATS_NKEYS=nkeys cargo run
use async_nats::jetstream::{self, consumer::pull};
use async_nats::{Client, ConnectOptions, HeaderMap};
use futures::StreamExt;
use serde_json::{json, Value};
use std::{env, error::Error, fs, time::Duration, time::SystemTime};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Result<()> {
    // A new one each time: its outcome is stored once and for all.
    let run = format!("example-{}", SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis());
    let (nexus, worker) = (login("nexus").await?, login("commander-cmd-impl").await?);
    publish(&nexus, &format!("swarm.decomposition-done.{run}"), "decomposition-done", json!({
        "run_id": run, "task": "Add rate limiting to the public API", "domains": [{
            "domain": "implementation", "commander_id": "cmd-impl",
            "sub_tasks": ["Implement a token bucket limiter per API key in Redis", "Write a runbook for an outage of Redis"],
        }],
    })).await?;
    // The Nexus waits for the commitment before its commanders start.
    wait(&nexus, "IN", "nexus", &run).await?;
    publish(&worker, &format!("swarm.bundle-complete.{run}.cmd-impl"), "bundle-complete", json!({
        "run_id": run, "bundle_id": "bnd-1", "domain": "implementation", "commander_id": "cmd-impl", "status": "partial",
        "content": "# Rate limiting\n\nEach API key has a token bucket in Redis.",
        "delivery": [
            {"item": "sub-task 1", "quote": "Each API key has a token bucket in Redis."},
            {"item": "sub-task 2", "undone": "it needs the results of the load tests"},
        ],
    })).await?;
    // What is asked for here is sent again as a fix-submitted, as in the other programs.
    let request = wait(&worker, "OUT", "commander-cmd-impl", &run).await?;
    println!("{}", request["text"].as_str().unwrap_or_default());
    Ok(())
}

async fn login(user: &str) -> Result<Client> {
    let url = env::var("NATS_URL").unwrap_or("nats://127.0.0.1:4222".into());
    let options = match env::var("NATS_NKEYS") {
        Err(_) => ConnectOptions::new(), // development mode
        Ok(keys) => {
            let seed = fs::read_to_string(format!("{keys}/{user}.nk"))?;
            // Each user may listen on an inbox of its own only.
            ConnectOptions::with_nkey(seed.trim().into()).custom_inbox_prefix(format!("_INBOX_{user}"))
        }
    };
    Ok(options.connect(url).await?)
}

/// publish sends one CloudEvent and waits until the stream has it.
async fn publish(nc: &Client, subject: &str, name: &str, data: Value) -> Result<()> {
    let event = json!({"specversion": "1.0", "id": subject, "source": "/example", "type": format!("dev.swarmspeed.{name}.v1"), "data": data});
    let mut headers = HeaderMap::new();
    headers.insert("Content-Type", "application/cloudevents+json");
    jetstream::new(nc.clone()).publish_with_headers(subject.to_owned(), headers, event.to_string().into()).await?.await?;
    Ok(())
}

/// wait returns the data of the next event of a run. A rejection names no run.
async fn wait(nc: &Client, stream: &str, durable: &str, run: &str) -> Result<Value> {
    let durable = if env::var("NATS_NKEYS").is_err() { "anonymous" } else { durable };
    let stream = jetstream::with_prefix(nc.clone(), "SHADOW.API").get_stream(stream).await?;
    let mut messages = stream.get_consumer::<pull::Config>(durable).await?.messages().await?;
    while let Some(message) = tokio::time::timeout(Duration::from_secs(60), messages.next()).await? {
        let message = message?;
        message.ack().await?;
        let event: Value = serde_json::from_slice(&message.payload)?;
        if message.subject.starts_with("swarm.event-rejected.") {
            eprintln!("{}: {}", event["data"]["reason"], event["data"]["message"]);
        } else if message.subject.contains(run) {
            println!("heard {}", message.subject);
            return Ok(event["data"].clone());
        }
    }
    Err("the connection closed".into())
}
