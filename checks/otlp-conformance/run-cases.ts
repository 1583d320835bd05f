import { grpcCases } from './cases-grpc.ts'
import { httpCases } from './cases-http.ts'
import { valueCases } from './cases-values.ts'
import type { Case, Target } from './target.ts'

export const cases: readonly Case[] = [...httpCases, ...valueCases, ...grpcCases]

export interface Result {
	tried: Case
	/** Why it failed, or null if it passed. */
	failure: string | null
}

/** Runs, one after the other, all cases whose transport the target supports. */
export async function runCases(target: Target): Promise<Result[]> {
	const results: Result[] = []
	for (const tried of cases) {
		if (tried.transport === 'grpc' && target.grpc === null) continue
		results.push({ tried, failure: await failureOf(tried, target) })
	}
	return results
}

async function failureOf(tried: Case, target: Target): Promise<string | null> {
	try {
		await tried.run(target)
		return null
	} catch (error) {
		return error instanceof Error ? error.message : String(error)
	}
}

/** The percentage, rounded down, so that 100 means all. */
export function passedPercent(results: readonly Result[]): number {
	const passed = results.filter(({ failure }) => failure === null).length
	return Math.floor((passed / results.length) * 1000) / 10
}
