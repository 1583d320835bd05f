import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { IconButton } from '../../ui/button.tsx'
import { CreateButton } from '../../ui/create-button.tsx'
import { deleteWithUndo } from '../../ui/delete-with-undo.ts'
import { ListPanel } from '../../ui/list-panel.tsx'
import { Panel } from '../../ui/page.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { tokenNamesQuery } from '../identity/credential-names.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { type RedactionRule, refreshRules, rulesQuery } from './queries.ts'
import { RuleDialog } from './rule-dialog.tsx'
import { targetTexts } from './rule-draft.ts'
import { TryBox } from './try-box.tsx'

/** What is removed from telemetry before it is stored? */
export function RedactionTab() {
	if (useCan('audit:read')) return <Redaction />
	return <RoleHint needs="audit:read" what="see what is redacted" />
}

const screen = getRouteApi('/_app/telemetry-settings')

function Redaction() {
	const { create: isNew, rule } = screen.useSearch()
	const navigate = screen.useNavigate()
	const canChange = useCan('recording:write')
	const query = useQuery(rulesQuery)
	const opened = query.data?.redaction_rules.find(({ id }) => id === rule) ?? null
	const create = () => void navigate({ search: { tab: 'redaction', create: true } })
	return (
		<div className="grid gap-4">
			<RoleHint needs="recording:write" what="create, change and try out redaction rules" />
			<ListPanel
				title="Workspace rules"
				query={query}
				action={<CreateButton what="rule" disabled={!canChange} onCreate={create} />}
				empty={{
					icon: 'block',
					what: 'rule',
					text: 'Keys, tokens, cards and addresses are removed automatically. Add a rule for what only you know to be private, such as staff numbers.',
				}}
				table={({ redaction_rules: rules }) =>
					rules.length > 0 ? <RuleTable rules={rules} canChange={canChange} /> : null
				}
			/>
			<Panel title="Try it out">
				<TryBox
					label="Text"
					disabled={!canChange}
					hint="Shows what would be kept of a prompt or response. Nothing is stored."
				/>
			</Panel>
			{((isNew && canChange) || opened) && (
				<RuleDialog
					key={opened?.id}
					rule={opened}
					canChange={canChange}
					onClose={() => void navigate({ search: { tab: 'redaction' } })}
				/>
			)}
		</div>
	)
}

function RuleTable({ rules, canChange }: { rules: readonly RedactionRule[]; canChange: boolean }) {
	const queries = useQueryClient()
	const { data: tokens } = useQuery(tokenNamesQuery)
	const tokenName = (id: string) => tokens?.ingest_tokens.find((token) => token.id === id)?.name ?? id
	const remove = ({ id, created_at: _created, updated_at: _updated, ...rule }: RedactionRule) =>
		deleteWithUndo({
			name: rule.name,
			remove: () => unwrap(api.DELETE('/v1/redaction-rules/{id}', { params: { path: { id } } })),
			restore: () => unwrap(api.POST('/v1/redaction-rules', { body: rule })),
			refresh: () => refreshRules(queries),
		})
	return (
		<Table label="Redaction rules">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th>Pattern</Th>
					<Th>Replaced by</Th>
					<Th>Applies to</Th>
					<Th right>Changed</Th>
					<ThActions />
				</tr>
			</thead>
			<tbody>
				{rules.map((rule) => (
					<Row key={rule.id}>
						<Td className="max-w-48 min-w-32">
							<Link
								to="/telemetry-settings"
								search={{ tab: 'redaction', rule: rule.id }}
								className="inline-flex min-h-6 max-w-full items-center truncate font-medium hover:underline"
							>
								{rule.name}
							</Link>
						</Td>
						<Td className="max-w-64 truncate font-mono text-xs" title={rule.pattern}>
							{rule.pattern}
						</Td>
						<Td className="font-mono text-xs whitespace-nowrap text-ink-2">[redacted:{rule.label}]</Td>
						<Td className="min-w-40 text-ink-2">
							{rule.applies_to.map((target) => targetTexts[target].label).join(', ')}
							{rule.ingest_token_id !== null && (
								<span className="block text-xs text-ink-3">from {tokenName(rule.ingest_token_id)} only</span>
							)}
						</Td>
						<Td right className="text-ink-2">
							<Ago at={rule.updated_at} />
						</Td>
						<Td right>
							<IconButton
								icon="trash"
								label={`Delete ${rule.name}`}
								disabled={!canChange}
								onClick={() => void remove(rule)}
							/>
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
