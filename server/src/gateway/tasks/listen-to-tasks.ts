import { invalidParams, isObject, type JsonObject } from '../../mcp-client/index.ts'
import type { Gateway } from '../gateway.ts'
import type { Caller, ClientProgram } from '../operation.ts'
import { presentTask, type Task } from './task.ts'
import { knowsTasks, tasksNotDeclared } from './task-capability.ts'
import { ownerOf } from './task-owner.ts'

const tasksMost = 100

/** The tasks that a `subscriptions/listen` names; throws for a client that does not declare tasks. */
export function readTaskIds({ notifications }: JsonObject, client: ClientProgram): string[] {
	const taskIds = isObject(notifications) ? (notifications.taskIds ?? []) : []
	if (!Array.isArray(taskIds) || taskIds.length > tasksMost || !taskIds.every((id) => typeof id === 'string'))
		throw invalidParams(`\`taskIds\` must be at most ${tasksMost} texts.`)
	if (taskIds.length > 0 && !knowsTasks(client)) throw tasksNotDeclared()
	return [...new Set(taskIds)]
}

/** Tells of every change of those tasks that are the caller's, in whichever program they run; their ids. */
export async function listenToTasks(
	gateway: Gateway,
	caller: Caller,
	taskIds: readonly string[],
	tell: (method: string, params: JsonObject) => void,
	onEnd: (end: () => void) => void,
): Promise<string[]> {
	const find = (id: string) => gateway.tasks.store.findOwn(ownerOf(caller), id)
	const mayHear = (task: Task | null): task is Task =>
		task !== null && !gateway.enforcement.choose(caller.agentId, task.serverId, task.tool).refusal
	const found = await Promise.all(taskIds.map(find))
	const heard = found.filter(mayHear).map(({ id }) => id)
	for (const id of heard) {
		const tellNow = async () => {
			const task = await find(id)
			if (mayHear(task)) tell('notifications/tasks', presentTask(task, 'modern'))
		}
		const warn = (error: unknown) => gateway.log.warn({ err: error }, 'gateway: a task was not told of')
		onEnd(gateway.tasks.watch(id, () => void tellNow().catch(warn)))
		// It may have changed since its client looked.
		await tellNow()
	}
	return heard
}
