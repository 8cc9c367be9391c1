// What the tests look for on a page, by role and accessible name, as a person
// with a screen reader does. Injected into every page before its own scripts.
"use strict";

window.e2e = (() => {
  const roles = {
    button: "button,[role=button],summary",
    link: "a[href],[role=link]",
    textbox: "textarea,input:not([type]),input[type=text],input[type=password],input[type=search],input[type=url],input[type=email],[role=textbox]",
    checkbox: "input[type=checkbox],[role=checkbox]",
    radio: "input[type=radio],[role=radio]",
    combobox: "select,[role=combobox]",
    dialog: "dialog[open],[role=dialog],[role=alertdialog]",
    heading: "h1,h2,h3,h4,h5,h6,[role=heading]",
    log: "[role=log]",
    article: "[role=article],article",
    menuitem: "[role=menuitem]",
    navigation: "nav,[role=navigation]",
  };

  const visible = (el) => el.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !el.closest("[aria-hidden=true],[inert]");

  // name is the accessible name, near enough for what we write.
  function name(el) {
    const ids = el.getAttribute("aria-labelledby");
    if (ids) return ids.split(/\s+/).map((id) => document.getElementById(id)?.textContent || "").join(" ").trim();
    const label = el.getAttribute("aria-label");
    if (label) return label.trim();
    if (el.labels?.length) return [...el.labels].map(words).join(" ").trim();
    if (el.matches("input,textarea,select")) return (el.title || el.placeholder || "").trim();
    return words(el) || el.title || "";
  }

  // words is the text of an element as it is read out.
  function words(el) {
    let text = "";
    for (const node of el.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) text += node.data;
      else if (node.nodeType === Node.ELEMENT_NODE && node.getAttribute("aria-hidden") !== "true" && !node.matches("input,textarea,select")) text += " " + words(node) + " ";
    }
    return text.replace(/\s+/g, " ").trim();
  }

  const all = (role, root = document) => [...root.querySelectorAll(roles[role] || `[role=${role}]`)].filter(visible);

  const find = (role, wanted, root) => {
    const found = all(role, root).filter((el) => name(el) === wanted);
    // In a dialog only its own controls can be used.
    return found.find((el) => el.closest("dialog,[role=dialog],[role=alertdialog]")) || found[0];
  };

  return {
    all, find, name, words,
    text: (wanted) => !!document.body && visible(document.body) && document.body.innerText.includes(wanted),
    usable: (role, wanted) => { const el = find(role, wanted); return !!el && !el.disabled && el.getAttribute("aria-disabled") !== "true"; },
    middle(el) {
      el.scrollIntoView({ block: "nearest", inline: "nearest" });
      const box = el.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    },
    // still gives the middle of an element that has not moved for two frames.
    async still(find) {
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      for (let last = "", tries = 0; tries < 300; tries++) {
        const el = find();
        const at = el ? this.middle(el) : [];
        if (el && String(at) === last) return at;
        last = String(at);
        await frame();
        await frame();
      }
      throw new Error("it does not stand still");
    },
    focus(role, wanted) {
      const el = find(role, wanted);
      el.focus();
      el.select?.();
      return true;
    },
    // messages are the texts of a log in order.
    messages: (log = "Messages") => [...(find("log", log)?.querySelectorAll("[data-event]") || [])],
    // overflow names what is wider than the screen, but for what ends in an ellipsis.
    overflow: () => [...document.querySelectorAll("body *")].filter((el) => visible(el) && getComputedStyle(el.parentElement).textOverflow !== "ellipsis" && el.getBoundingClientRect().right > innerWidth + 1).map((el) => el.outerHTML.slice(0, 120)),
  };
})();
