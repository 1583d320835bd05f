import { StoreUnavailable } from '../../platform/clickhouse/index.ts'
import { Problem } from '../../platform/errors.ts'
import type { AlertRow, Reading } from './alert.ts'
import { watchOf } from './alert.ts'
import type { AlertContext } from './context.ts'
import { readBuiltIn } from './readings/read-built-ins.ts'
import { readQuestion } from './readings/read-question.ts'

/** What is the case now. What cannot be judged is `unknown`, never well. */
export async function judgeAlert(context: AlertContext, row: AlertRow): Promise<Reading> {
	const watch = watchOf(row)
	const { kind } = watch
	try {
		return await (kind === 'question' ? readQuestion(context, watch) : readBuiltIn[kind](context, watch))
	} catch (error) {
		const isStore = error instanceof Problem || error instanceof StoreUnavailable
		if (!isStore) context.log.error({ err: error, alert: row.id }, 'alerts: one cannot be judged')
		const text = isStore ? error.message : 'It cannot be judged; the log of the program says why.'
		return { status: 'unknown', value: null, text, path: row.path, subjects: [] }
	}
}
