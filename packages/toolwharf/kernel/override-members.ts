/**
 * The same object with other values for some members. Unlike an object that inherits from it, its methods and getters run on
 * the object itself, which may be an instance of a class with `#private` fields, a proxy, or frozen.
 */
export function overrideMembers<Value extends object>(value: Value, members: Partial<Value>): Value {
  const isOverridden = (name: PropertyKey) => Object.hasOwn(members, name);
  return new Proxy({} as Value, {
    has: (_target, name) => isOverridden(name) || name in value,
    get(_target, name) {
      if (isOverridden(name)) return members[name as keyof Value];
      const member = Reflect.get(value, name, value) as unknown;
      return typeof member === 'function' ? member.bind(value) : member;
    },
  });
}
