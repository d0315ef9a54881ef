// Runs before the page is shown. The app stores the theme under the same name.
const dark = matchMedia('(prefers-color-scheme: dark)');

function showTheme() {
  const stored = localStorage.getItem('toolwharf.theme');
  const isDark = stored === 'dark' || (stored !== 'light' && dark.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

showTheme();
dark.addEventListener('change', showTheme);
