// Loaded by a blocking <script> before everything else, so that it is there whatever becomes of the rest.

// The first paint already has the stored theme. Keys and values are those of src/ui/theme.ts: change them together.
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

// A file that the console begins with and that does not come, or that the browser cannot run, would leave the page empty.
var tooOld = 'This browser could not run it. Update the browser, or use another one, then load the page again.';
addEventListener(
  'error',
  function (event) {
    if (event.target instanceof HTMLScriptElement)
      tellSoon('A part of it did not come from the proxy. Check the connection, then load the page again.');
    // Extensions fail here as well; they are nobody's business.
    else if (String(event.filename).indexOf(location.origin + '/') === 0) tellSoon(tooOld);
  },
  true,
);
// It would not even try.
if (!('noModule' in HTMLScriptElement.prototype)) tellSoon(tooOld);
function tellSoon(why) {
  if (document.readyState !== 'loading') return tell(why);
  addEventListener('DOMContentLoaded', function () {
    tell(why);
  });
}
function tell(why) {
  var app = document.getElementById('app');
  if (!app || app.childElementCount > 0) return;
  var add = function (parent, tag, text) {
    var element = parent.appendChild(document.createElement(tag));
    element.textContent = text;
    return element;
  };
  var dark = document.documentElement.dataset.theme === 'dark';
  var main = add(app, 'main', '');
  // The sheet of styles may be missing as well.
  main.style.cssText = 'max-width:30rem;margin:20vh auto 0;padding:0 1rem;font:15px/1.5 system-ui,sans-serif;';
  document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
  add(main, 'h1', 'The console could not be loaded').style.cssText = 'margin:0 0 .5rem;font-size:1.25rem';
  var text = add(main, 'p', why);
  text.setAttribute('role', 'alert');
  text.style.margin = '0 0 1rem';
  var button = add(main, 'button', 'Reload');
  button.style.cssText = 'font:inherit;padding:.375rem 1rem;border:1px solid currentColor;border-radius:4px;color:inherit;background:none;cursor:pointer';
  button.onclick = function () {
    location.reload();
  };
}
