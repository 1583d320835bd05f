/** Answers of a workspace's questions, each being worked out once at a time. */
export type ShareAnswers = <Answer>(
	asked: { workspaceId: string; read: string; query: object },
	answer: () => Promise<Answer>,
) => Promise<Answer>

/**
 * Who asks what is being answered gets that answer, so that eight viewers of a screen cost the engine what one does. It is
 * never older than the question before it took: nothing is kept once it is answered.
 */
export function shareAnswers(): ShareAnswers {
	const running = new Map<string, Promise<unknown>>()
	return <Answer>(asked: object, answer: () => Promise<Answer>) => {
		const question = JSON.stringify(asked)
		const shared = running.get(question) as Promise<Answer> | undefined
		if (shared !== undefined) return shared
		const begun = answer().finally(() => running.delete(question))
		running.set(question, begun)
		return begun
	}
}
