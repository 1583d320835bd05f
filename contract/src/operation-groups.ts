import { accessGrantOperations } from './access-grants.ts'
import { accessRequestOperations } from './access-requests.ts'
import { accessReviewOperations } from './access-review.ts'
import { accountOperations } from './accounts.ts'
import { agentOperations } from './agents.ts'
import { alertOperations } from './alerts.ts'
import { approvalOperations } from './approvals.ts'
import { auditOperations } from './audit.ts'
import { authOperations } from './auth.ts'
import { authorizationOperations } from './authorizations.ts'
import { budgetOperations } from './budgets.ts'
import { cacheMissOperations } from './cache-misses.ts'
import { callRecordingOperations } from './call-recording.ts'
import { callViewOperations } from './call-views.ts'
import { dashboardOperations } from './dashboards.ts'
import { demoOperations } from './demo.ts'
import { denialOperations } from './denials.ts'
import { erasureOperations } from './erasures.ts'
import { federationOperations } from './federation.ts'
import { forwarderOperations } from './forwarders.ts'
import { hookOperations } from './hooks.ts'
import { instanceClockOperations } from './instance-clock.ts'
import { instanceKeyOperations } from './instance-keys.ts'
import { invitationOperations } from './invitations.ts'
import { ingestTokenOperations, keyOperations } from './keys.ts'
import { langfuseOperations } from './langfuse.ts'
import { ledgerOperations } from './ledger.ts'
import { limitOperations } from './limits.ts'
import { mailLinkOperations } from './mail-links.ts'
import { modelLimitOperations } from './model-limits.ts'
import { modelRouteOperations } from './model-routes.ts'
import type { Operation } from './operation.ts'
import { priceOperations } from './prices.ts'
import { programOperations } from './programs.ts'
import { providerKeyOperations } from './provider-keys.ts'
import { redactionRuleOperations } from './redaction-rules.ts'
import { releaseOperations } from './releases.ts'
import { renormalisationOperations } from './renormalisations.ts'
import { retentionOperations } from './retention.ts'
import { savedViewOperations } from './saved-views.ts'
import { scoreOperations } from './scores.ts'
import { serverImportOperations } from './server-import.ts'
import { serverOperations } from './servers.ts'
import { instanceOperations, settingOperations } from './settings.ts'
import { sharingOperations } from './sharing.ts'
import { spotlightOperations } from './spotlight.ts'
import { spotlightMcpOperations } from './spotlight-mcp.ts'
import { spotlightSessionOperations } from './spotlight-sessions.ts'
import { systemOperations } from './system.ts'
import { telemetryOperations } from './telemetry.ts'
import { telemetryQueryOperations } from './telemetry-queries.ts'
import { toolCostOperations } from './tool-costs.ts'
import { toolDefinitionOperations } from './tool-definitions.ts'
import { toolsetOperations } from './toolsets.ts'
import { upstreamCredentialOperations } from './upstream-credentials.ts'
import { webhookOperations } from './webhooks.ts'
import { memberOperations, workspaceOperations } from './workspaces.ts'

/** Operations by the heading under which readers look for them. */
export type OperationGroups = Record<string, Record<string, Operation>>

/** The whole platform API, in the order in which a reader should learn it. */
export const operationGroups: OperationGroups = {
	'MCP servers': { ...serverOperations, import: serverImportOperations.run },
	'Tool definitions': toolDefinitionOperations,
	'Hosted programs': programOperations,
	Agents: agentOperations,
	Access: accessGrantOperations,
	Toolsets: toolsetOperations,
	'Access review': accessReviewOperations,
	Approvals: approvalOperations,
	'Access requests': accessRequestOperations,
	Keys: keyOperations,
	'Ingest tokens': ingestTokenOperations,
	'Connected clients': authorizationOperations,
	'Upstream credentials': upstreamCredentialOperations,
	'Model connections': providerKeyOperations,
	'Model routes': modelRouteOperations,
	Hooks: hookOperations,
	Budgets: budgetOperations,
	'Limits of model calls': modelLimitOperations,
	Prices: priceOperations,
	Ledger: ledgerOperations,
	Spotlight: {
		...spotlightOperations,
		...spotlightSessionOperations,
		...spotlightMcpOperations,
		...releaseOperations,
		...cacheMissOperations,
		...callViewOperations,
		...toolCostOperations,
	},
	Sharing: sharingOperations,
	Questions: savedViewOperations,
	Dashboards: dashboardOperations,
	Alerts: alertOperations,
	Telemetry: { ...telemetryOperations, ...telemetryQueryOperations },
	Scores: scoreOperations,
	'Langfuse SDKs': langfuseOperations,
	'Redaction rules': redactionRuleOperations,
	Retention: retentionOperations,
	Erasures: erasureOperations,
	Renormalisations: renormalisationOperations,
	'Call recording': callRecordingOperations,
	Webhooks: webhookOperations,
	Forwarders: forwarderOperations,
	'Rate limits': limitOperations,
	Audit: auditOperations,
	Denials: denialOperations,
	'Sign-in': authOperations,
	Accounts: accountOperations,
	'Sign-in by providers': federationOperations,
	'Mail links': mailLinkOperations,
	Workspaces: workspaceOperations,
	Demo: demoOperations,
	Members: memberOperations,
	Invitations: invitationOperations,
	Settings: settingOperations,
	Instance: instanceOperations,
	'Instance keys': instanceKeyOperations,
	'Instance clock': instanceClockOperations,
	System: systemOperations,
}
