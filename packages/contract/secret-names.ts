const secretWord =
  /token|secret|passw|pwd|credential|cookie|auth(?!or(?!iz))|api[-_]?key|access[-_]?key|private[-_]?key|(^|[-_])key$/i;

/** True for a text that carries a password or has the shape of a well-known token. */
export function isSecretValue(text: string): boolean {
  return /:\/\/[^/\s:]*:[^/\s]+@|\b(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA)[\w-]{8,}/.test(text);
}

/** True for a name whose value is likely a secret: `GITHUB_TOKEN`, `x-api-key`, `Authorization`. */
export function isSecretName(name: string): boolean {
  return secretWord.test(name);
}
