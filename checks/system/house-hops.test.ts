import { expect, it } from 'vitest'
import { countHops } from '../src/house-hops.ts'
import { readHouseRecord } from '../src/house-report.ts'

/** Tolerance: on a busy machine a few calls differ, for example to wake up a sleeping thread. */
const slack = 1.05

it('a warm request passes through no more files and functions of the server than recorded', async () => {
	const [{ hops: recorded }, found] = [readHouseRecord(), await countHops()]
	const kinds = Object.keys(recorded) as (keyof typeof recorded)[]
	const worse = kinds.filter(
		(kind) =>
			found[kind].files > recorded[kind].files * slack + 1 ||
			found[kind].functions > recorded[kind].functions * slack + 1,
	)
	expect(worse, JSON.stringify({ recorded, found })).toEqual([])
})
