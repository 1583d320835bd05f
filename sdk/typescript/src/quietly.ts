/**
 * Runs what is ours inside a call of the host. Whatever goes wrong in there, the host goes on as if we were not there.
 */
export function quietly<T>(run: () => T): T | undefined {
	try {
		return run()
	} catch {
		return undefined
	}
}
