import type { Program } from '../../../server/src/program/program.testing.ts'

/** Number of rows that the program reports as stored in ClickHouse, or as pending. */
export async function rows(program: Program, which: 'stored' | 'pending'): Promise<number> {
	const text = await (await fetch(`${program.url}/metrics`)).text()
	const line = text.match(new RegExp(`^signalbox_telemetry_${which}_rows (\\S+)`, 'm'))
	if (!line) throw new Error(`/metrics does not show signalbox_telemetry_${which}_rows.`)
	return Number(line[1])
}
