(() => {
  "use strict";
  const root = document.documentElement;
  const at = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, text = "", name = "") => Object.assign(document.createElement(tag), { textContent: text, className: name });

  /* Settings, kept from visit to visit where the browser allows it. */
  const remember = (key, value) => { try { localStorage.setItem(key, value); } catch { /* a page from a file may have no memory */ } };
  const recall = (key) => { try { return localStorage.getItem(key); } catch { return null; } };

  function setting(id, apply) {
    const select = at(id), known = recall("symroof-" + id);
    if (known !== null && [...select.options].some((o) => o.value === known)) select.value = known;
    if (select.value !== select.options[0].value) apply(select.value);
    select.addEventListener("change", () => { apply(select.value); remember("symroof-" + id, select.value); });
  }

  function colours(theme) {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
  }

  /* Values: each place names its row of texts; a formula gets its own markup back under the first scale. */
  const texts = JSON.parse(at("ui-scales").textContent);
  const columns = { fitting: 0, exact: 1, si: 2, binary: 3 };
  const fitting = new WeakMap();

  function units(scale) {
    root.dataset.units = scale;
    for (const place of all(".v")) show(place, scale);
  }

  function show(place, scale) {
    const row = texts[place.dataset.v], column = columns[scale];
    if (!(place instanceof MathMLElement)) {
      place.textContent = row[column];
      return;
    }
    const relation = place.previousElementSibling;
    if (!fitting.has(place)) fitting.set(place, [[...place.childNodes], relation?.textContent]);
    const [markup, sign] = fitting.get(place);
    place.replaceChildren(...(scale === "fitting" ? markup : mathematics(row[column].replace("≈ ", ""))));
    /* What was equal is only about equal where this scale rounds. */
    if (sign === "=") relation.textContent = row[4].includes(column) ? "≈" : "=";
  }

  function mathematics(text) {
    const element = (tag, content) => Object.assign(document.createElementNS("http://www.w3.org/1998/Math/MathML", tag), { textContent: content });
    const [, number, power, unit] = /^(.*?)(?:e(-?\d+))?(?: ([^\d].*))?$/.exec(text);
    const parts = [element("mn", number)];
    if (power) {
      const raised = element("msup", "");
      raised.append(element("mn", "10"), element("mn", power));
      parts.push(element("mo", "×"), raised);
    }
    if (unit) parts.push(element("mtext", "\u2009" + unit));
    return parts;
  }

  /* Cards: what a name is, at the place where it is mentioned. */
  const card = at("ui-card");
  let owner = null, timer = 0;

  const mention = (node) => (node instanceof Element ? node.closest("[data-n], a[href^='#']") : null);
  const named = (place) => place.dataset.n ?? decodeURIComponent(place.hash.slice(1));
  const entry = (place) => {
    const found = place && !place.matches(".here") ? at(named(place)) : null;
    return found?.matches(".entry") ? found : null;
  };

  function fill(found) {
    const head = make("p", "", "head"), link = make("a"), symbol = found.querySelector(".sym math");
    link.href = "#" + found.id;
    link.append(make("code", found.id));
    if (symbol) head.append(symbol.cloneNode(true));
    head.append(link);
    const parts = [head, copy(found.querySelector(".says"), "says")];
    const definition = found.querySelector("template.def");
    if (definition?.content.childElementCount) {
      const box = make("div", "", "math");
      box.append(definition.content.cloneNode(true));
      parts.push(box);
    }
    parts.push(value(found), used(found));
    card.replaceChildren(...parts.filter(Boolean));
  }

  function copy(from, name) {
    if (!from) return null;
    const made = make("p", "", name);
    made.append(...[...from.childNodes].map((n) => n.cloneNode(true)));
    return made;
  }

  function value(found) {
    const made = copy(found.querySelector(".val"), "");
    if (!made) return null;
    made.replaceChildren(make("span", made.textContent.trim(), "val"));
    const unit = found.dataset.unit;
    if (unit && unit !== "1" && !made.textContent.endsWith(" " + unit)) made.append(make("span", " · unit " + unit, "unit"));
    return made;
  }

  function used(found) {
    const from = found.querySelector(".used"), links = from ? all("a", from instanceof HTMLTemplateElement ? from.content : from) : [];
    if (!links.length) return null;
    const made = make("p", "used by ", "used");
    links.slice(0, 8).forEach((link) => made.append(link.cloneNode(true), " "));
    if (links.length > 8) made.append(`and ${links.length - 8} more`);
    return made;
  }

  function open(place) {
    clearTimeout(timer);
    const found = entry(place);
    if (!found || card.contains(place)) return false;
    if (owner !== place) {
      close();
      owner = place;
      fill(found);
      card.hidden = false;
      place.setAttribute("aria-describedby", "ui-card");
    }
    put(place);
    return true;
  }

  /* Below its mention where there is room, else above, and never beyond the page. */
  function put(place) {
    const box = [...place.getClientRects()].at(-1) ?? place.getBoundingClientRect(), gap = 6, width = root.clientWidth;
    card.style.left = card.style.top = "0";
    const size = card.getBoundingClientRect();
    const below = box.bottom + gap + size.height <= innerHeight || box.top - gap - size.height < 0;
    const left = Math.max(8, Math.min(box.left, width - size.width - 8));
    card.style.left = `${left + scrollX}px`;
    card.style.top = `${(below ? box.bottom + gap : box.top - gap - size.height) + scrollY}px`;
  }

  function close() {
    clearTimeout(timer);
    owner?.removeAttribute("aria-describedby");
    owner = null;
    card.hidden = true;
  }

  const later = (action, wait) => { clearTimeout(timer); timer = setTimeout(action, wait); };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const place = mention(event.target);
    if (card.contains(event.target) || place === owner && owner) clearTimeout(timer);
    else if (entry(place)) later(() => open(place), 150);
    else if (owner) later(close, 250);
    else clearTimeout(timer);
  });
  document.addEventListener("focusin", (event) => {
    const place = mention(event.target);
    if (place && event.target.matches(":focus-visible")) open(place);
    else if (!card.contains(event.target)) close();
  });
  /* A finger cannot hover: its first tap opens the card, whose head leads to the entry. */
  document.addEventListener("click", (event) => {
    if (card.contains(event.target)) {
      if (mention(event.target)) close();
      return;
    }
    const place = mention(event.target), touch = event.pointerType === "touch" || event.pointerType === "pen";
    if (!entry(place)) close();
    else if (touch) { if (owner !== place) { event.preventDefault(); open(place); } else if (place.dataset.n) go(place); }
    else if (place.dataset.n) go(place);
    else close();
  });
  addEventListener("resize", close);

  function go(place) {
    const id = named(place);
    close();
    location.hash = id;
  }

  /* In a formula, arrows go from symbol to symbol. */
  function walk(event, box) {
    const places = all("[data-n]", box), step = event.key === "ArrowRight" ? 1 : -1;
    if (!places.length) return;
    const here = places.indexOf(document.activeElement);
    const next = places[here < 0 ? (step > 0 ? 0 : places.length - 1) : Math.max(0, Math.min(places.length - 1, here + step))];
    next.setAttribute("tabindex", "-1");
    event.preventDefault();
    next.focus();
    open(next);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target, box = target instanceof Element ? target.closest("main .math") : null;
    const typing = target instanceof Element && target.matches("input, select, textarea");
    if (event.key === "/" && !typing) { event.preventDefault(); field.focus(); field.select(); }
    else if (event.key === "Escape" && !card.hidden) { const back = owner?.closest(".math"); close(); if (box && back) back.focus(); }
    else if (box && (event.key === "ArrowRight" || event.key === "ArrowLeft")) walk(event, box);
    else if (box && event.key === "Enter" && target.dataset.n) go(target);
  });

  /* Search: all words of the request, in the name first, then in the symbol, then in the text. */
  const field = at("ui-search"), list = at("ui-found");
  let index = null;

  function entries() {
    return all("main .entry").map((found) => ({
      id: found.id, name: found.id.toLowerCase(), symbol: (found.dataset.sound ?? "").toLowerCase(),
      signs: (found.querySelector(".sym")?.textContent ?? "").toLowerCase(), says: found.querySelector(".says")?.textContent ?? "",
      text: all(":scope > p", found).map((p) => p.textContent).join(" ").toLowerCase() + (found.querySelector(".says")?.textContent ?? "").toLowerCase(),
    }));
  }

  function rank(found, words, whole) {
    if (found.name === whole || found.symbol === whole || found.signs === whole) return 0;
    let worst = 0;
    for (const word of words) {
      const place = found.name.split("_").some((part) => part.startsWith(word)) ? 1 : found.name.includes(word) ? 2
        : found.symbol.includes(word) || found.signs.includes(word) ? 3 : found.text.includes(word) ? 4 : 9;
      worst = Math.max(worst, place);
    }
    return found.name.startsWith(whole) ? Math.min(worst, 1) - 0.5 : worst;
  }

  function search() {
    index ??= entries();
    const whole = field.value.trim().toLowerCase(), words = whole.split(/\s+/);
    const hits = whole ? index.map((e) => [rank(e, words, whole), e]).filter(([r]) => r < 9).sort(([a, x], [b, y]) => a - b || x.id.length - y.id.length).slice(0, 12) : [];
    list.replaceChildren(...hits.map(([, found], i) => option(found, i)));
    if (whole && !hits.length) list.replaceChildren(Object.assign(make("li", "nothing found", "none"), { role: "option", ariaDisabled: "true" }));
    expand(Boolean(whole));
    choose(hits.length ? 0 : -1);
  }

  function option(found, i) {
    const made = make("li");
    made.id = `ui-hit-${i}`;
    made.role = "option";
    made.dataset.to = found.id;
    made.append(make("code", found.id), make("small", found.says));
    return made;
  }

  function expand(yes) {
    list.hidden = !yes;
    field.setAttribute("aria-expanded", String(yes));
    if (!yes) field.removeAttribute("aria-activedescendant");
  }

  function choose(i) {
    const options = all("[data-to]", list);
    options.forEach((o, j) => o.setAttribute("aria-selected", String(i === j)));
    if (!options[i]) { field.removeAttribute("aria-activedescendant"); return; }
    field.setAttribute("aria-activedescendant", options[i].id);
    options[i].scrollIntoView({ block: "nearest" });
  }

  function take(found) {
    if (!found?.dataset.to) return;
    expand(false);
    field.blur();
    location.hash = found.dataset.to;
  }

  field.addEventListener("input", search);
  field.addEventListener("focus", () => { if (field.value) search(); });
  field.addEventListener("blur", () => setTimeout(() => expand(false), 150));
  list.addEventListener("pointerdown", (event) => { event.preventDefault(); take(event.target.closest("[data-to]")); });
  field.addEventListener("keydown", (event) => {
    const options = all("[data-to]", list), chosen = options.findIndex((o) => o.ariaSelected === "true");
    if (event.key === "ArrowDown") choose(Math.min(chosen + 1, options.length - 1));
    else if (event.key === "ArrowUp") choose(Math.max(chosen - 1, 0));
    else if (event.key === "Enter") take(options[chosen]);
    else if (event.key === "Escape") { expand(false); field.value = ""; field.blur(); }
    else return;
    event.preventDefault();
  });

  /* Contents stand open beside the text, and fold where they would stand before it. */
  const contents = at("ui-contents"), narrow = matchMedia("(max-width: 60rem)");
  const fold = () => { contents.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  document.querySelector(".to-contents").addEventListener("click", () => { contents.open = true; });

  /* Which section one reads. */
  const links = new Map(all("#ui-contents a").map((a) => [a.hash.slice(1), a]));
  const watch = new IntersectionObserver((seen) => {
    for (const one of seen.filter((s) => s.isIntersecting)) {
      links.forEach((a) => a.removeAttribute("aria-current"));
      links.get(one.target.id)?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-15% 0px -80% 0px" });
  all("main > section").forEach((section) => watch.observe(section));

  fold();
  for (const part of all(".search, .settings, .help")) part.hidden = false;
  setting("ui-theme", colours);
  setting("ui-units", units);
  performance.mark("interactive");
})();
