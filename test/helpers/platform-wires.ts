import type { Wire } from './platform-servers.ts';
import { discord, discordWebhook, slack, slackWebhook, telegram } from './platform-wires-chat.ts';
import { matrix, mattermost, signal, sms, whatsapp } from './platform-wires-messengers.ts';
import { dingtalk, feishu, github, gitlab, homeassistant, ntfy, webhook, wecom } from './platform-wires-services.ts';

/** Every target that speaks HTTP, by name of the variant. */
export const wires: Record<string, Wire> = {
  telegram,
  discord,
  'discord (webhook)': discordWebhook,
  slack,
  'slack (webhook)': slackWebhook,
  mattermost,
  matrix,
  signal,
  sms,
  whatsapp,
  homeassistant,
  dingtalk,
  feishu,
  wecom,
  ntfy,
  webhook,
  github_comment: github,
  gitlab_comment: gitlab,
};
