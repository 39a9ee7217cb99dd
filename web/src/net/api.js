// SPDX-License-Identifier: MIT
// Requests to /api/v1. Every failure is an Error with the service's own sentence.
import { app } from "../state/app.js";
import { token } from "./token.js";

const ROOT = "/api/v1";

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status; // 0: no answer
  }
}

const headers = () => (token() ? { Authorization: `Bearer ${token()}` } : {});

async function ask(method, path, body, raw) {
  let answer;
  try {
    answer = await fetch(ROOT + path, { method, headers: headers(), body: body === undefined || typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body) });
  } catch {
    app.set({ gone: true });
    throw new ApiError(0, "the service does not answer");
  }
  if (answer.status === 401) app.set({ tokenWanted: true });
  if (!answer.ok) throw new ApiError(answer.status, await sentence(answer));
  if (answer.status === 204) return null;
  return raw ? answer[raw]() : answer.json();
}

async function sentence(answer) {
  const text = await answer.text();
  try { return JSON.parse(text).error.message; } catch { return text.slice(0, 300) || `the service answered ${answer.status}`; }
}

export const get = (path) => ask("GET", path);
export const getText = (path) => ask("GET", path, undefined, "text");
export const getBlob = (path) => ask("GET", path, undefined, "blob");
export const post = (path, body = {}) => ask("POST", path, body);
export const postText = (path, body) => ask("POST", path, body, "text");
export const put = (path, body) => ask("PUT", path, body, "text");
export const change = (path, body) => ask("PUT", path, body);
export const remove = (path) => ask("DELETE", path);

export const sessionPath = (sid) => `/sessions/${encodeURIComponent(sid)}`;
export const runPath = (sid, n) => `${sessionPath(sid)}/runs/${n}`;
export const urlOf = (path) => ROOT + path;

/** Bytes with progress, which fetch does not know. */
export function upload(path, file, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", ROOT + path);
    for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
    request.upload.onprogress = (e) => onProgress?.(e.loaded / (e.total || 1));
    request.onerror = () => reject(new ApiError(0, `'${file.name}' could not be sent`));
    request.onload = () => {
      if (request.status < 300) return resolve();
      if (request.status === 401) app.set({ tokenWanted: true });
      let message = request.responseText;
      try { message = JSON.parse(message).error.message; } catch { /* as it is */ }
      reject(new ApiError(request.status, message));
    };
    request.send(file);
  });
}
