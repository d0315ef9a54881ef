/** Thrown while a tool is prepared for a provider; the message is the reason it is left out. Never leaves this room. */
export class Inexpressible extends Error {
  override readonly name = 'Inexpressible';
}
