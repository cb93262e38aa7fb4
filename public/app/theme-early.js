// Not a module, so that it runs before the first paint: another theme would flash up.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // storage is disabled: use the system's theme
}
