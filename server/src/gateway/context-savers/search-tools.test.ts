import { describe, expect, it } from 'vitest'
import { readReleases } from '../../servers/tool-definitions/fixtures/fixtures.testing.ts'
import { rankTools, wordsIn } from './search-tools.ts'

/** Typical queries, with the matching tools of real servers. */
const asked: readonly [query: string, ...right: string[]][] = [
	['search the web with Google', 'brightdata__search_engine', 'tavily__tavily_search'],
	['price of a product on Amazon', 'brightdata__web_data_amazon_product'],
	['reviews of an Amazon product', 'brightdata__web_data_amazon_product_reviews'],
	['LinkedIn profile of a person', 'brightdata__web_data_linkedin_person_profile'],
	['company page on LinkedIn', 'brightdata__web_data_linkedin_company_profile'],
	['comments below a YouTube video', 'brightdata__web_data_youtube_comments'],
	['posts on Reddit', 'brightdata__web_data_reddit_posts'],
	['hotel offers on Booking', 'brightdata__web_data_booking_hotel_listings'],
	['houses for sale on Zillow', 'brightdata__web_data_zillow_properties_listing'],
	['metadata of a npm package', 'brightdata__web_data_npm_package'],
	['why did the build fail on CircleCI', 'circleci__get_build_failure_logs'],
	['find flaky tests', 'circleci__find_flaky_tests'],
	['status of the latest pipeline', 'circleci__get_latest_pipeline_status'],
	['start a CircleCI pipeline', 'circleci__run_pipeline'],
	['roll back a deployment', 'circleci__run_rollback_pipeline', 'kubernetes__kubectl_rollout'],
	['lint my files with eslint', 'eslint__lint-files'],
	['search contacts in HubSpot', 'hubspot__hubspot-search-objects'],
	['list HubSpot workflows', 'hubspot__hubspot-list-workflows'],
	['create a property in HubSpot', 'hubspot__hubspot-create-property'],
	['driving directions between two places', 'mapbox__directions_tool'],
	['address of these coordinates', 'mapbox__reverse_geocode_tool'],
	['area reachable within 15 minutes', 'mapbox__isochrone_tool'],
	['distance between two coordinates', 'mapbox__distance_tool'],
	['image of a map', 'mapbox__static_map_image_tool', 'mapbox__render_map_tool'],
	['best order to visit several stops', 'mapbox__optimization_tool'],
	['create a Notion page', 'notion__API-post-page'],
	['search Notion by title', 'notion__API-post-search'],
	['add a comment in Notion', 'notion__API-create-a-comment'],
	['delete a Notion block', 'notion__API-delete-a-block'],
	['who am I in Notion', 'notion__API-get-self'],
	['page of Notion as markdown', 'notion__API-retrieve-page-markdown'],
	['my open Asana tasks', 'asana__asana_get_my_tasks'],
	['create a task in Asana', 'asana__asana_create_task'],
	['add a subtask', 'asana__asana_create_subtask'],
	['sections of an Asana project', 'asana__asana_get_project_sections'],
	['tag a task', 'asana__asana_add_tag_to_task'],
	['make one task depend on another', 'asana__asana_add_task_dependencies'],
	['documentation of a library', 'context7__query-docs', 'context7__resolve-library-id'],
	['read a file from disk', 'commander__read_file'],
	['write text into a file', 'commander__write_file'],
	['kill a running process', 'commander__kill_process', 'commander__force_terminate'],
	['run a shell command', 'commander__start_process'],
	['make a new folder', 'commander__create_directory'],
	['rename or move a file', 'commander__move_file'],
	['write an invoice in Xero', 'xero__create-invoice'],
	['unpaid invoices of a customer', 'xero__list-aged-receivables-by-contact', 'xero__list-invoices'],
	['balance sheet', 'xero__list-report-balance-sheet'],
	['profit and loss report', 'xero__list-profit-and-loss'],
	['leave balance of an employee', 'xero__list-payroll-employee-leave-balances'],
	['record a payment', 'xero__create-payment'],
	['list tax rates', 'xero__list-tax-rates'],
	['approve a timesheet', 'xero__approve-timesheet'],
	['open a merge request', 'gitlab__create_merge_request'],
	['approve a merge request', 'gitlab__approve_merge_request'],
	[
		'what changed in a merge request',
		'gitlab__get_merge_request_diffs',
		'gitlab__list_merge_request_diffs',
		'gitlab__list_merge_request_changed_files',
	],
	['create an issue in GitLab', 'gitlab__create_issue'],
	['close an issue in GitLab', 'gitlab__update_issue'],
	['make a new branch', 'gitlab__create_branch'],
	['contents of a file in the repository', 'gitlab__get_file_contents'],
	['fork a repository', 'gitlab__fork_repository'],
	['comment on an issue', 'gitlab__create_issue_note', 'gitlab__create_note'],
	['members of a GitLab project', 'gitlab__list_project_members'],
	['mark a todo as done', 'gitlab__mark_todo_done'],
	['protect a branch', 'gitlab__protect_branch'],
	['merge a merge request', 'gitlab__merge_merge_request'],
	['records of an Airtable table', 'airtable__list_records'],
	['create a field in Airtable', 'airtable__create_field'],
	['which bases are there in Airtable', 'airtable__list_bases'],
	['upload an attachment to a record', 'airtable__upload_attachment'],
	['crawl a website', 'firecrawl__firecrawl_crawl', 'tavily__tavily_crawl'],
	['scrape one page', 'firecrawl__firecrawl_scrape', 'brightdata__scrape_as_markdown'],
	['watch a page for changes', 'firecrawl__firecrawl_monitor_create'],
	['find scientific papers', 'firecrawl__firecrawl_research_search_papers'],
	['logs of a pod', 'kubernetes__kubectl_logs'],
	['scale a deployment', 'kubernetes__kubectl_scale'],
	['install a helm chart', 'kubernetes__install_helm_chart'],
	['run a command inside a pod', 'kubernetes__exec_in_pod'],
	['forward a port', 'kubernetes__port_forward'],
	['list pods in a namespace', 'kubernetes__kubectl_get'],
	['drain a node', 'kubernetes__node_management'],
	['find documents in a MongoDB collection', 'mongodb__find'],
	['count documents', 'mongodb__count'],
	['create an index on a collection', 'mongodb__create-index'],
	['insert documents into MongoDB', 'mongodb__insert-many'],
	['schema of a collection', 'mongodb__collection-schema'],
	['drop a database', 'mongodb__drop-database'],
	['execution plan of a query', 'mongodb__explain'],
	['rename a collection', 'mongodb__rename-collection'],
	['create an n8n workflow', 'n8n__n8n_create_workflow'],
	['search workflow templates', 'n8n__search_templates'],
	['check a workflow for mistakes', 'n8n__validate_workflow', 'n8n__n8n_validate_workflow'],
	['past executions of a workflow', 'n8n__n8n_executions'],
	[
		'extract the content of web pages',
		'tavily__tavily_extract',
		'firecrawl__firecrawl_extract',
		'brightdata__extract',
	],
	['research a topic on the web', 'tavily__tavily_research'],
]

const slugOf = (name: string) =>
	name.match(
		/(brightdata|circleci|eslint|hubspot|mapbox|notion|asana|context7|commander|xero|gitlab|airtable|firecrawl|kubernetes|mongodb|n8n|tavily)/,
	)?.[0]

const tools = readReleases('servers').flatMap((release) =>
	release.tools.map((tool) => ({ ...tool, name: `${slugOf(release.package)}__${tool.name}` })),
)

describe('the tool search', () => {
	it('contains the tools that the queries ask for', () => {
		const names = new Set(tools.map(({ name }) => name))
		expect(asked.flatMap(([, ...right]) => right).filter((name) => !names.has(name))).toEqual([])
		expect(names.size).toBeGreaterThan(600)
	})

	it('has a matching tool among the first five for nine of ten queries, over 600 tools of real servers', () => {
		const missed = asked.filter(
			([query, ...right]) => !rankTools(tools, query, 5).some(({ name }) => right.includes(name)),
		)
		expect(missed.length / asked.length, missed.map(([query]) => query).join('; ')).toBeLessThanOrEqual(0.1)
	})

	it('is quick', () => {
		rankTools(tools, 'warm', 5)
		const startedMs = performance.now()
		for (const [query] of asked) rankTools(tools, query, 5)
		expect((performance.now() - startedMs) / asked.length).toBeLessThan(10)
	})

	it('finds nothing where nothing matches, nor for stop words', () => {
		expect(rankTools(tools, 'zyxxyz', 5)).toEqual([])
		expect(rankTools(tools, 'what can you do for me', 5)).toEqual([])
		expect(rankTools([], 'file', 5)).toEqual([])
	})

	it('splits names into words, and reduces words to their stems', () => {
		expect(wordsIn('listIssues')).toEqual(wordsIn('list_issues'))
		expect(wordsIn('lists an issue')).toEqual(wordsIn('list-issues'))
		expect(wordsIn('crawling queries')).toEqual(wordsIn('crawl query'))
		expect(wordsIn('Dateien löschen')).toEqual(['dateien', 'löschen'])
	})
})
