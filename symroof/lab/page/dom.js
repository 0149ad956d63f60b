/** Elements, made in a line. */

/** @param {string} tag @param {Record<string, any>} [attributes] listeners begin with `on`; true is an empty attribute @param {...any} children @returns {any} */
export function el(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
        else if (value === true) made.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
    }
    made.append(...children.flat().filter((c) => c !== null && c !== undefined));
    return made;
}

/** MathML in an element of its own. @param {string} markup @param {boolean} [display] */
export function math(markup, display = false) {
    const box = el("span", { class: display ? "formula" : "symbol", ...(display ? { tabindex: 0 } : {}) });
    // The markup is the page's own: names and numbers of the book.
    box.innerHTML = `<math${display ? ' display="block"' : ""}><mrow>${markup}</mrow></math>`;
    return box;
}

/** An element of the page. @param {string} id @returns {any} */
export function at(id) {
    return document.getElementById(id);
}

/** Text in which names of the book stand between backticks. @param {string} text */
export function prose(text) {
    return text.split("`").map((part, i) => (i % 2 ? el("code", {}, part) : part));
}
