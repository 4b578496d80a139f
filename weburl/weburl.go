package weburl
