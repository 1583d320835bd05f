import type { Program } from '../../../server/src/program/program.testing.ts'

/** Rows that the program says are in ClickHouse, or on their way there. */
export async function rows(program: Program, which: 'stored' | 'pending'): Promise<number> {
	const text = await (await fetch(`${program.url}/metrics`)).text()
	const line = text.match(new RegExp(`^signalbox_telemetry_${which}_rows (\\S+)`, 'm'))
	if (!line) throw new Error(`/metrics does not tell signalbox_telemetry_${which}_rows.`)
	return Number(line[1])
}
