import { afterAll, beforeAll, test } from 'vitest'
import type { TestStore } from '../../../platform/clickhouse/testing.ts'
import { compareAnswers, startRolledStore } from './differential.testing.ts'
import { createRandom } from './random-spans.testing.ts'

const questions = process.env.LONG_TESTS ? 1000 : 16

let started: TestStore
beforeAll(async () => {
	started = await startRolledStore(7)
})
afterAll(() => started.close())

test(
	`${questions} random queries have the same answer from rollups as from spans`,
	async () => {
		await compareAnswers(started.store, createRandom(8), questions)
	},
	questions * 3000,
)
