(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const main = document.querySelector(".lt-main");
  const root = document.documentElement;
  const folds = () => main.querySelectorAll("details");
  byId("lt-unfold").onclick = () => folds().forEach((fold) => { fold.open = true; });
  byId("lt-fold").onclick = () => folds().forEach((fold) => { fold.open = false; });

  const stored = (() => { try { return localStorage.getItem("lt-theme"); } catch { return null; } })();
  if (stored) root.dataset.theme = stored;
  byId("lt-theme").onclick = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("lt-theme", root.dataset.theme); } catch { /* a file: page may have no storage */ }
  };
  addEventListener("beforeprint", () => folds().forEach((fold) => { fold.open = true; }));

  // Search: sections and trajectories without a hit are hidden, folds with one are opened, hits are marked.
  const box = byId("lt-find");
  const found = byId("lt-found");
  const blocks = () => main.querySelectorAll(":scope > section, .lt-traj");
  const MAX_MARKS = 5000;
  let timer = 0;
  const search = () => {
    const wanted = box.value.toLowerCase();
    blocks().forEach((block) => block.classList.remove("lt-hidden"));
    if (window.CSS && CSS.highlights) CSS.highlights.delete("lt-hits");
    found.textContent = "";
    if (!wanted) return;
    const ranges = [];
    const hits = new Set();
    let count = 0;
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.toLowerCase();
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
        count += 1;
        for (let up = node.parentElement; up && up !== main && !hits.has(up); up = up.parentElement) hits.add(up);
        if (ranges.length < MAX_MARKS && text.length === node.data.length) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + wanted.length);
          ranges.push(range);
        }
      }
    }
    blocks().forEach((block) => block.classList.toggle("lt-hidden", !hits.has(block)));
    folds().forEach((fold) => { if (hits.has(fold)) fold.open = true; });
    if (window.CSS && CSS.highlights && ranges.length) CSS.highlights.set("lt-hits", new Highlight(...ranges));
    found.textContent = count === 1 ? "1 hit" : `${count.toLocaleString()} hits`;
  };
  box.oninput = () => { clearTimeout(timer); timer = setTimeout(search, 150); };
  addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
    if (event.key === "Escape" && document.activeElement === box) { box.value = ""; search(); }
  });
})();
