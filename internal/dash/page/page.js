"use strict";
// Keeps the page as the server would write it now. The server says over
// /events that something has changed; the page is then asked for again, and
// only what differs is replaced, so that focus and place stay.
(() => {
  const shown = document.body.dataset.run;
  let again = false, timer = 0;
  // A review that is being written, or was not taken, stays as it is.
  let writing = Boolean(document.getElementById("nottaken"));
  addEventListener("input", e => writing ||= e.target.form?.id === "review");

  // Looked up each time: a refresh may have replaced the head of the page.
  function say(on) {
    const live = document.getElementById("live"), lost = document.getElementById("lost");
    live.replaceChildren(Object.assign(document.createElement("span"), { className: on ? "on" : "quiet", textContent: on ? "● live" : "○ not live" }));
    lost.hidden = on;
  }

  function change(old, next) {
    if (old.isEqualNode(next)) return;
    if (old.nodeType !== next.nodeType || old.nodeName !== next.nodeName || old.id !== next.id || old.href !== next.href || old.childNodes.length !== next.childNodes.length) {
      old.replaceWith(document.importNode(next, true));
      return;
    }
    if (old.nodeType !== Node.ELEMENT_NODE) {
      old.data = next.data;
      return;
    }
    for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const after = [...next.childNodes];
    [...old.childNodes].forEach((child, i) => change(child, after[i]));
  }

  // What a reader has opened or ticked is so in the next page too.
  function keepOpen(next) {
    const name = d => (d.closest("[id]") || d).id + " " + (d.querySelector("summary h3") || d.querySelector("summary")).textContent;
    const open = new Set([...document.querySelectorAll("details[open]")].map(name));
    for (const d of next.querySelectorAll("details")) d.open = open.has(name(d));
    const only = document.getElementById("only"), nextOnly = next.getElementById("only");
    if (only && nextOnly) nextOnly.toggleAttribute("checked", only.checked);
  }

  async function refresh() {
    again = false;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      if (answer.status === 401) location.reload(); // for the form that asks for the token
      const next = new DOMParser().parseFromString(await answer.text(), "text/html");
      keepOpen(next);
      const { href } = document.activeElement;
      for (const part of writing ? ["header"] : ["header", "main", "footer"]) {
        const there = next.querySelector(part);
        if (!there) continue;
        for (const id of ["live", "lost"]) {
          const own = there.querySelector("#" + id);
          if (own) own.replaceWith(document.getElementById(id).cloneNode(true));
        }
        const form = document.activeElement && document.activeElement.closest("form");
        const nextForm = there.querySelector("form");
        if (form && nextForm) nextForm.replaceWith(form.cloneNode(true));
        change(document.querySelector(part), there);
      }
      // A link that was replaced has lost the focus.
      if (href && document.activeElement === document.body) [...document.links].find(a => a.href === href)?.focus({ preventScroll: true });
      document.title = next.title;
    } catch (e) {
      // The server has gone; when it is back, the page is asked for again.
    }
    timer = setTimeout(() => {
      timer = 0;
      if (again) soon(0);
    }, 1000);
  }

  // One refresh at a time, and a second between two: what changes meanwhile waits
  // for the next, and puts none off.
  function soon(wait) {
    again = true;
    timer ||= setTimeout(refresh, wait);
  }

  let source;

  function listen() {
    source = new EventSource("/events");
    source.onopen = () => {
      say(true);
      soon(0); // what changed before is not told
    };
    source.onerror = () => {
      say(false);
      // After an answer that is an error, as of a proxy, the browser gives up.
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
    };
    source.addEventListener("run", e => {
      if (!shown || e.data === shown || e.data === "*") soon(150);
    });
    source.addEventListener("health", () => soon(0));
  }

  listen();
  addEventListener("pagehide", () => source.close());

  addEventListener("keydown", e => {
    const search = document.getElementById("q");
    if (e.key === "/" && search && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      e.preventDefault();
      search.focus();
    }
  });
})();
