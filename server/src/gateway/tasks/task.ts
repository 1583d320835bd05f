import type { Era, JsonObject } from '../../mcp-client/index.ts'
import type { Question } from '../questions.ts'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** How a task ended: the answer of the call that it stands for. */
export type TaskOutcome =
	| { result: JsonObject; error?: undefined }
	| { error: { code: number; message: string; data?: unknown }; result?: undefined }

/** How far a task is; changes with it. */
export interface TaskState {
	/** Whether anything of the call may have reached its server: from then on it is never sent again. */
	isSent: boolean
	/** The server's own task, which any program can ask after. */
	upstreamTaskId: string | null
	/** What its client has to answer, by keys that are never used twice; and how many there were. */
	questions: Record<string, Question>
	asked: number
	/** Answers that came, until they are taken. */
	answers: Record<string, JsonObject>
	outcome: TaskOutcome | null
}

/** One call of a tool that goes on without its client. */
export interface Task {
	id: string
	workspaceId: string
	agentId: string
	serverId: string
	tool: string
	status: TaskStatus
	statusMessage: string | null
	createdAtMs: number
	updatedAtMs: number
	expiresAtMs: number
	version: number
	state: TaskState
}

/** How often a client should ask. */
const pollMs = 500

export const newState: TaskState = {
	...{ isSent: false, upstreamTaskId: null, asked: 0, outcome: null },
	...{ questions: {}, answers: {} },
}

export function hasEnded({ status }: Pick<Task, 'status'>): boolean {
	return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** A task as `tasks/get` of an era tells it; in the modern one with what its client needs next. */
export function presentTask(task: Task, era: Era): JsonObject {
	const ttl = task.expiresAtMs - task.createdAtMs
	return {
		taskId: task.id,
		status: task.status,
		...(task.statusMessage !== null && { statusMessage: task.statusMessage }),
		createdAt: new Date(task.createdAtMs).toISOString(),
		lastUpdatedAt: new Date(task.updatedAtMs).toISOString(),
		...(era === 'modern'
			? { ttlMs: ttl, pollIntervalMs: pollMs, ...detailsOf(task) }
			: { ttl, pollInterval: pollMs }),
	}
}

function detailsOf({ status, state }: Task): JsonObject {
	if (status === 'input_required') return { inputRequests: state.questions }
	return status === 'cancelled' ? {} : { ...state.outcome }
}

/** The answer to a call that became a task. */
export function presentCreated(task: Task, era: Era): JsonObject {
	if (era === 'legacy') return { task: presentTask(task, era) }
	const { inputRequests, result, error, ...seed } = presentTask(task, era)
	return { resultType: 'task', ...seed }
}

/** Of a legacy message that belongs to a task. */
export function relatedTo(taskId: string): JsonObject {
	return { 'io.modelcontextprotocol/related-task': { taskId } }
}
