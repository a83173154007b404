// Loaded by a blocking <script> in the head, so that the first paint already has the stored theme.
// Keys and values are those of src/ui/theme.ts: change them together.
(function () {
  var name = 'light';
  try {
    name = localStorage.getItem('grv_teleport_ui_theme') === 'dark' ? 'dark' : 'light';
    if (localStorage.getItem('sallyport_theme_system') === 'true') {
      name = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    }
  } catch (error) {
    name = 'light';
  }
  document.documentElement.dataset.theme = name;
})();
