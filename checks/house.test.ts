import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countHouse, findCycles } from './src/house.ts'
import { hopsOf, ofEachRequest } from './src/house-hops.ts'
import { readHouseRecord } from './src/house-report.ts'
import { longFiles } from './src/long-files.ts'
import { root } from './src/source-files.ts'

describe('the counts of the code', () => {
	it('are not worse than the recorded ones; `npm run house -- --record` records improvements', () => {
		const { counts } = readHouseRecord()
		const recorded = (name: string) => counts[name as keyof typeof counts]
		const worse = Object.entries(countHouse())
			.filter(([name, value]) => value > recorded(name))
			.map(([name, value]) => `${name}: ${value}, recorded ${recorded(name)}`)
		const remedy =
			'A change that needs more files says why in its commit, and records them with `npm run house -- --record`.'
		expect(worse, remedy).toEqual([])
	})

	it('the list of long test files names only existing files', () => {
		expect(Object.keys(longFiles).filter((file) => !existsSync(join(root, file)))).toEqual([])
	})

	it('import cycles are found, and shared imports are not counted as cycles', () => {
		const graph = new Map([
			['a', new Set(['b', 'd'])],
			['b', new Set(['c'])],
			['c', new Set(['a', 'd'])],
			['d', new Set<string>()],
		])
		expect(findCycles(graph)).toEqual([['a', 'b', 'c']])
		graph.get('b')?.delete('c')
		expect(findCycles(graph)).toEqual([])
	})

	it('a request is counted only with the functions that every attempt passes', () => {
		const withTimer = { 'a.ts#1': 9, 'b.ts#5': 2, 'timer.ts#0': 1, 'woken.ts#0': 2 }
		const counted = ofEachRequest([withTimer, { 'a.ts#1': 6, 'b.ts#5': 2, 'timer.ts#0': 1 }], 2)
		expect(counted).toEqual({ 'a.ts#1': 3, 'b.ts#5': 1, 'timer.ts#0': 0, 'woken.ts#0': 0 })
		expect(hopsOf(counted)).toEqual({ files: 2, functions: 2, calls: 4 })
		const often = { 'a.ts#1': 6, 'timer.ts#0': 3 }
		expect(ofEachRequest([often, often], 2, { 'timer.ts#0': 2 })).toEqual({ 'a.ts#1': 3, 'timer.ts#0': 0 })
	})
})
