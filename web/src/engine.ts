// What Vega expects of an engine and a bare one does not have. Imported first.
const scope = globalThis as unknown as Record<string, unknown>;
const nothing = () => undefined;
scope.console ??= { log: nothing, warn: nothing, error: nothing, info: nothing, debug: nothing };
scope.setTimeout ??= (work: () => void) => {
  void Promise.resolve().then(work);
  return 0;
};
scope.clearTimeout ??= nothing;
scope.performance ??= { now: () => 0 };  // the same drawing whatever the time
scope.structuredClone ??= (value: unknown) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
Object.hasOwn ??= (object: object, key: PropertyKey) => Object.prototype.hasOwnProperty.call(object, key);
const at = function (this: { length: number } & Record<number, unknown>, index: number) {
  return this[index < 0 ? this.length + index : index];
};
for (const prototype of [Array.prototype, String.prototype] as unknown as { at?: unknown }[])
  if (prototype.at === undefined) Object.defineProperty(prototype, "at", { value: at, writable: true, configurable: true });
export {};
