/**
 * The longest stall of the program's event loop since the last reading, in ms; NaN if it is not reported. The program's own threads
 * share the core with the loop, so this includes the time in which one of them had it.
 */
export async function longestStallMs(origin: string): Promise<number> {
	const text = await (await fetch(`${origin}/metrics`)).text()
	return Number(text.match(/^signalbox_event_loop_stall_seconds_max (\S+)/m)?.[1]) * 1000
}
