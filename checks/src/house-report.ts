import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countHouse, type HouseCounts } from './house.ts'
import {
	callsOfRequests,
	countHops,
	type HouseHops,
	listCalls,
	type RequestKind,
	requestKinds,
} from './house-hops.ts'
import { root } from './source-files.ts'

/**
 * `npm run house`: the code counts next to the recorded ones and the goals. `--record` records the new counts; `--list tool_call span`
 * instead prints the functions that these requests pass.
 */

export interface HouseRecord {
	counts: HouseCounts
	hops: HouseHops
}

const recordPath = join(root, 'checks/house.json')

const goals: Partial<Record<string, number>> = {
	files: 1000,
	importedByOnePercent: 20,
	rooms: 13,
	looseFiles: 1,
	arrows: 55,
	cycles: 0,
	filesInCycles: 0,
	'tool_call.files': 45,
	'tool_call.functions': 150,
	'model_call.files': 50,
	'model_call.functions': 180,
	'span.files': 35,
}

export function readHouseRecord(): HouseRecord {
	return JSON.parse(readFileSync(recordPath, 'utf8')) as HouseRecord
}

async function main(): Promise<void> {
	const listAt = process.argv.indexOf('--list')
	if (listAt > 0) return list(process.argv.slice(listAt + 1))
	const recorded = flatten(readHouseRecord())
	const found: HouseRecord = { counts: countHouse(), hops: await countHops() }
	console.log(`${'count'.padEnd(26)} ${'now'.padStart(8)} ${'recorded'.padStart(9)} ${'goal'.padStart(6)}`)
	for (const [name, value] of Object.entries(flatten(found))) {
		const columns = [
			String(value).padStart(8),
			String(recorded[name] ?? '-').padStart(9),
			String(goals[name] ?? '').padStart(6),
		]
		console.log(`${name.padEnd(26)} ${columns.join(' ')}`)
	}
	if (process.argv.includes('--record')) writeFileSync(recordPath, `${JSON.stringify(found, null, '\t')}\n`)
}

async function list(asked: readonly string[]): Promise<void> {
	const kinds = requestKinds.filter((kind) => asked.length === 0 || asked.includes(kind))
	const unknown = asked.filter((name) => !requestKinds.includes(name as RequestKind))
	if (unknown.length > 0)
		throw new Error(`No such request: ${unknown.join(', ')}. There are ${requestKinds.join(', ')}.`)
	const calls = await callsOfRequests(kinds)
	for (const kind of kinds) console.log([kind, ...listCalls(calls[kind])].join('\n'))
}

function flatten({ counts, hops }: HouseRecord): Record<string, number> {
	const flat: Record<string, number> = { ...counts }
	for (const [kind, count] of Object.entries(hops))
		for (const [name, value] of Object.entries(count)) flat[`${kind}.${name}`] = value
	return flat
}

if (import.meta.main) await main()
