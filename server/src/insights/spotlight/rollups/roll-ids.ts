import type { CleanHour } from './plan-reads.ts'
import { hourMs } from './plan-reads.ts'

/** An hour and the version of its roll in one number, which is many times quicker to look for than a pair: until the year 2109. */
const versionBits = 42
const rollId = `bitOr(bitShiftLeft(toUInt64(intDiv(toUnixTimestamp(hour), 3600)), ${versionBits}), version)`
const idOf = ({ startMs, version }: CleanHour) =>
	(BigInt(startMs / hourMs) << BigInt(versionBits)) | BigInt(version)

/** Rows of certain rolls, whose parameters `rollParameters` gives under the same name. */
export const inRolls = (name: string) => `workspace_id = {workspace:String}
	AND hour >= toDateTime({${name}_first:UInt32}, 'UTC') AND hour <= toDateTime({${name}_last:UInt32}, 'UTC')
	AND ${rollId} IN (SELECT arrayJoin({${name}_rolls:Array(UInt64)}))`

/** Of at least one hour, in the order of time. */
export function rollParameters(name: string, hours: readonly CleanHour[]): Record<string, unknown> {
	return {
		[`${name}_first`]: Number(hours[0]?.startMs) / 1000,
		[`${name}_last`]: Number(hours.at(-1)?.startMs) / 1000,
		[`${name}_rolls`]: hours.map(idOf),
	}
}
