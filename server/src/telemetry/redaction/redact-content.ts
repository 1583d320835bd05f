import { redactorOf } from './redactor.ts'
import type { RedactionView } from './rules/redaction-view.ts'

/** A text that people or models said, without what is private for everyone and what the workspace's own rules find. */
export type RedactContent = (workspaceId: string, text: string) => string

export function createRedactContent(view: RedactionView): RedactContent {
	return (workspaceId, text) => String(redactorOf(view.rulesOf(workspaceId)).content(text, new Set()))
}
