import {
	type Era,
	invalidParams,
	isObject,
	type JsonObject,
	metaOf,
	methodNotFound,
	RpcFailure,
} from '../../mcp-client/index.ts'
import type { Gateway } from '../gateway.ts'
import type { Caller, ClientProgram, Operation } from '../operation.ts'
import { answerWith, type Plan, refuseWith } from '../perform/plan.ts'
import { hasEnded, knowsTasks, ownerOf, presentTask, relatedTo, type Task, tasksNotDeclared } from './task.ts'
import { statusOf } from './tasks.ts'

const maxTasks = 100

/** The tasks named in a `subscriptions/listen`. Throws for a client that does not declare tasks. */
export function readTaskIds({ notifications }: JsonObject, client: ClientProgram): string[] {
	const taskIds = isObject(notifications) ? (notifications.taskIds ?? []) : []
	if (!Array.isArray(taskIds) || taskIds.length > maxTasks || !taskIds.every((id) => typeof id === 'string'))
		throw invalidParams(`\`taskIds\` must be at most ${maxTasks} texts.`)
	if (taskIds.length > 0 && !knowsTasks(client)) throw tasksNotDeclared()
	return [...new Set(taskIds)]
}

/** Notifies of every change of those tasks that belong to the caller, in whichever process they run. Resolves with their ids. */
export async function listenToTasks(
	gateway: Gateway,
	caller: Caller,
	taskIds: readonly string[],
	notify: (method: string, params: JsonObject) => void,
	onEnd: (end: () => void) => void,
): Promise<string[]> {
	const find = (id: string) => gateway.tasks.store.findOwn(ownerOf(caller), id)
	const mayRead = (task: Task | null): task is Task =>
		task !== null && refusalOf(gateway, caller, task) === null
	const found = await Promise.all(taskIds.map(find))
	const readable = found.filter(mayRead).map(({ id }) => id)
	for (const id of readable) {
		const notifyNow = async () => {
			const task = await find(id)
			if (mayRead(task)) notify('notifications/tasks', presentTask(task, 'modern'))
		}
		const warn = (error: unknown) =>
			gateway.log.warn({ err: error }, 'gateway: the client was not notified of a task')
		onEnd(gateway.tasks.watch(id, () => void notifyNow().catch(warn)))
		// The task may have changed since its client last read it.
		await notifyNow()
	}
	return readable
}

type Answer = (gateway: Gateway, operation: Operation) => Promise<JsonObject>

const answers: Readonly<Record<Era, Readonly<Record<string, Answer>>>> = {
	legacy: {
		'tasks/get': async (...asked) => presentTask(await findTask(...asked), 'legacy'),
		'tasks/result': awaitResult,
		'tasks/list': listTasks,
		'tasks/cancel': cancelForLegacy,
	},
	modern: {
		'tasks/get': async (...asked) => complete(presentTask(await findTask(...asked), 'modern')),
		'tasks/update': updateTask,
		'tasks/cancel': async (...asked) => {
			await cancelTask(...asked)
			return complete({})
		},
	},
}
const listed = 100

export const taskMethods = [...new Set([...Object.keys(answers.legacy), ...Object.keys(answers.modern)])]

/** Plans a client's request about its tasks. Methods and fields differ between the eras. */
export function planTaskRequest(gateway: Gateway, operation: Operation): Plan {
	const { client, request, caller } = operation
	const answer = answers[client.era][request.method]
	if (!answer) return refuseWith(methodNotFound(request.method))
	if (!knowsTasks(client))
		return refuseWith(client.era === 'modern' ? tasksNotDeclared() : methodNotFound(request.method))
	return answerWith(
		() => gateway.enforcement.refusalOfAgent(caller.agentId),
		() => answer(gateway, operation),
	)
}

/** A task of the caller whose tool it may still use. Any other task looks as if it did not exist. */
export async function findTask(gateway: Gateway, { caller, request }: Operation): Promise<Task> {
	const { taskId } = request.params
	if (typeof taskId !== 'string') throw invalidParams('`taskId` must be text.')
	const task = await gateway.tasks.store.findOwn(ownerOf(caller), taskId)
	if (!task) throw invalidParams('There is no such task.')
	const refusal = refusalOf(gateway, caller, task)
	if (refusal) throw refusal
	return task
}

/** Why the caller may not use the task's tool any more, or null. */
function refusalOf({ enforcement }: Gateway, { agentId }: Caller, { serverId, tool }: Task): Error | null {
	return enforcement.choose(agentId, serverId, tool).refusal ?? null
}

/** Waits for the end, in whichever process the task runs, and returns what the call would have returned. */
async function awaitResult(gateway: Gateway, operation: Operation): Promise<JsonObject> {
	const { id, state, status } = await awaitEnd(gateway, operation)
	if (status === 'cancelled') throw invalidParams('The task was cancelled; it has no result.')
	const { result, error } = state.outcome ?? {}
	if (error) throw new RpcFailure(error.code, error.message, { data: error.data, errorType: 'task_failed' })
	return { ...result, _meta: { ...metaOf(result ?? {}), ...relatedTo(id) } }
}

const longestPauseMs = 60_000

/** The time limit of the request is paused: the task has its own. */
async function awaitEnd(gateway: Gateway, operation: Operation): Promise<Task> {
	const ending = new AbortController()
	const release = operation.cancellation.also(() => ending.abort())
	const { id } = await findTask(gateway, operation)
	const waiter = gateway.tasks.store.waiters.add(id)
	const detach = gateway.tasks.attach(id, operation.reply)
	operation.asking += 1
	try {
		for (;;) {
			const task = await findTask(gateway, operation)
			if (hasEnded(task)) return task
			if (operation.cancellation.failure) throw operation.cancellation.failure
			await waiter.next(longestPauseMs, ending.signal)
		}
	} finally {
		operation.asking -= 1
		detach()
		waiter.end()
		release()
	}
}

async function listTasks(gateway: Gateway, { caller, request }: Operation): Promise<JsonObject> {
	const cursor = request.params.cursor || null
	if (cursor !== null && !(typeof cursor === 'string' && /^[0-9a-f-]{36}$/.test(cursor)))
		throw invalidParams('The cursor was not given by this endpoint.')
	const found = await gateway.tasks.store.listOwn(ownerOf(caller), cursor, listed + 1)
	const page = found.slice(0, listed)
	const nextCursor = found.length > listed ? page.at(-1)?.id : undefined
	return {
		// The message of a failed task is part of its result.
		tasks: page
			.filter((task) => refusalOf(gateway, caller, task) === null)
			.map((task) => presentTask(task, 'legacy')),
		...(nextCursor !== undefined && { nextCursor }),
	}
}

async function cancelForLegacy(gateway: Gateway, operation: Operation): Promise<JsonObject> {
	const task = await cancelTask(gateway, operation)
	if (!task) throw invalidParams('The task has ended already.')
	return presentTask(task, 'legacy')
}

/** Null if the task had already ended. The process that runs it is notified by the change feed. */
async function cancelTask(gateway: Gateway, operation: Operation): Promise<Task | null> {
	const task = await findTask(gateway, operation)
	const statusMessage = 'The task was cancelled by its client.'
	return gateway.tasks.store.change(task, () => ({ status: 'cancelled', statusMessage }))
}

/** Accepts answers to pending input requests; others were answered before, or never asked. */
async function updateTask(gateway: Gateway, operation: Operation): Promise<JsonObject> {
	const { inputResponses } = operation.request.params
	if (!isObject(inputResponses)) throw invalidParams('`inputResponses` must be an object.')
	const which = await findTask(gateway, operation)
	await gateway.tasks.store.change(which, ({ state }) => {
		const taken = Object.entries(inputResponses).flatMap(([key, answer]) =>
			Object.hasOwn(state.questions, key) && isObject(answer) ? [[key, answer] as const] : [],
		)
		if (taken.length === 0) return null
		const keys = new Set(taken.map(([key]) => key))
		const questions = Object.fromEntries(Object.entries(state.questions).filter(([key]) => !keys.has(key)))
		const answered = { ...state.answers, ...Object.fromEntries(taken) }
		return { status: statusOf(questions), state: { questions, answers: answered } }
	})
	return complete({})
}

function complete(result: JsonObject): JsonObject {
	return { ...result, resultType: 'complete' }
}
