/** Runs the SDK's code inside a call of the host. Whatever fails in there, the host continues unaffected. */
export function quietly<T>(run: () => T): T | undefined {
	try {
		return run()
	} catch {
		return undefined
	}
}
