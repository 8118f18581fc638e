// A commander in Java, which reads with the durables that shadowd makes: what is
// published while it is away waits for it.
//
//   NATS_NKEYS=nkeys java -cp 'lib/*' Commander.java
//
// In lib are the jars of io.nats:jnats:2.25.0 and what it needs.
import static io.nats.client.support.JsonValueUtils.readString;
import static io.nats.client.support.JsonValueUtils.readValue;

import io.nats.client.*;
import io.nats.client.impl.Headers;
import io.nats.client.support.JsonParser;
import io.nats.client.support.JsonValue;
import java.nio.file.*;
import java.time.Duration;

public class Commander {
    static final String RUN = "example-" + System.currentTimeMillis(); // a new one each time: its outcome is stored once and for all

    public static void main(String[] args) throws Exception {
        try (Connection nexus = login("nexus"); Connection worker = login("commander-cmd-impl")) {
            publish(nexus, "swarm.decomposition-done." + RUN, "decomposition-done", """
                {"run_id": "%s", "task": "Add rate limiting to the public API", "domains": [
                  {"domain": "implementation", "commander_id": "cmd-impl", "sub_tasks": [
                    "Implement a token bucket limiter per API key in Redis", "Write a runbook for an outage of Redis"]}]}""".formatted(RUN));
            // The Nexus waits for the commitment before its commanders start.
            await(durable(nexus, "IN", "nexus"));
            publish(worker, "swarm.bundle-complete." + RUN + ".cmd-impl", "bundle-complete", """
                {"run_id": "%s", "bundle_id": "bnd-1", "domain": "implementation", "commander_id": "cmd-impl", "status": "partial",
                 "content": "# Rate limiting\\n\\nEach API key has a token bucket in Redis.",
                 "delivery": [{"item": "sub-task 1", "quote": "Each API key has a token bucket in Redis."},
                              {"item": "sub-task 2", "undone": "it needs the results of the load tests"}]}""".formatted(RUN));
            // What is asked for here is sent again as a fix-submitted, as in the other programs.
            System.out.println(readString(await(durable(worker, "OUT", "commander-cmd-impl")), "text"));
        }
    }

    static final Duration PATIENCE = Duration.ofSeconds(20); // for a busy machine
    static final String KEYS = System.getenv("NATS_NKEYS"); // without it: development mode

    static Connection login(String user) throws Exception {
        Options.Builder options = Options.builder().server(System.getenv().getOrDefault("NATS_URL", "nats://127.0.0.1:4222")).connectionTimeout(PATIENCE);
        if (KEYS != null) {
            char[] seed = Files.readString(Path.of(KEYS, user + ".nk")).trim().toCharArray();
            // Each user may listen on an inbox of its own only.
            options.authHandler(Nats.staticCredentials(null, seed)).inboxPrefix("_INBOX_" + user);
        }
        return Nats.connectReconnectOnConnect(options.build());
    }

    static JetStreamOptions.Builder patient() {
        return JetStreamOptions.builder().requestTimeout(PATIENCE);
    }

    static ConsumerContext durable(Connection nc, String stream, String name) throws Exception {
        return nc.getConsumerContext(stream, KEYS == null ? "anonymous" : name, patient().prefix("SHADOW.API").build());
    }

    // publish sends one CloudEvent and waits until the stream has it.
    static void publish(Connection nc, String subject, String name, String data) throws Exception {
        String event = """
            {"specversion": "1.0", "id": "%s", "source": "/example", "type": "dev.swarmspeed.%s.v1", "data": %s}""".formatted(subject, name, data);
        nc.jetStream(patient().build()).publish(subject, new Headers().add("Content-Type", "application/cloudevents+json"), event.getBytes("UTF-8"));
    }

    // await returns the data of the next event of this run. A rejection names no run.
    static JsonValue await(ConsumerContext durable) throws Exception {
        for (Message m; (m = durable.next(60_000)) != null; m.ack()) {
            JsonValue data = readValue(JsonParser.parse(m.getData()), "data");
            if (m.getSubject().startsWith("swarm.event-rejected.")) {
                System.err.println(readString(data, "reason") + ": " + readString(data, "message"));
            } else if (m.getSubject().contains(RUN)) {
                m.ack();
                System.out.println("heard " + m.getSubject());
                return data;
            }
        }
        throw new IllegalStateException("nothing came within a minute");
    }
}
